BEGIN TRANSACTION;
CREATE TABLE answers (
    trial_id TEXT PRIMARY KEY REFERENCES trials,
    outcome TEXT NOT NULL,
    chosen TEXT NOT NULL,
    received_at TEXT NOT NULL,
    rt_ms INTEGER,
    click_ms TEXT NOT NULL,
    hidden_ms INTEGER NOT NULL,
    input TEXT NOT NULL,
    presentations INTEGER NOT NULL
) WITHOUT ROWID;
INSERT INTO "answers" VALUES('t136697bb631a53d5aa23b47e','answered','[1]','2026-11-16T17:53:05.142Z',750,'[750]',0,'mouse',1);
INSERT INTO "answers" VALUES('t141dddd016654e0099be986b','answered','[0]','2026-11-16T17:53:05.179Z',700,'[700]',0,'mouse',1);
INSERT INTO "answers" VALUES('t16ca40ca073d62c48618e758','answered','[1]','2026-11-16T17:53:05.179Z',730,'[730]',0,'mouse',1);
INSERT INTO "answers" VALUES('t34bd2731afd142ca9624e85a','answered','[0]','2026-11-16T17:53:05.142Z',720,'[720]',0,'mouse',1);
INSERT INTO "answers" VALUES('t3775c5162acf298f7f98e9f2','answered','[0]','2026-11-16T17:53:05.179Z',740,'[740]',0,'mouse',1);
INSERT INTO "answers" VALUES('t3c2ec11083f4fc6222d7279b','answered','[1]','2026-11-16T17:53:05.179Z',710,'[710]',0,'mouse',1);
INSERT INTO "answers" VALUES('t5880eb269ef344330dff8de5','answered','[1]','2026-11-16T17:53:05.142Z',710,'[710]',0,'mouse',1);
INSERT INTO "answers" VALUES('t644b477ae59b286c3125bbdb','answered','[1]','2026-11-16T17:53:05.142Z',730,'[730]',0,'mouse',1);
INSERT INTO "answers" VALUES('ta5d7bd8c653f7fd713bd22b0','answered','[0]','2026-11-16T17:53:05.142Z',740,'[740]',0,'mouse',1);
INSERT INTO "answers" VALUES('tc787876edd3bca325a34db67','answered','[0]','2026-11-16T17:53:05.179Z',720,'[720]',0,'mouse',1);
INSERT INTO "answers" VALUES('td6a1f663730e462711317859','answered','[0]','2026-11-16T17:53:05.142Z',780,'[780]',0,'mouse',1);
INSERT INTO "answers" VALUES('te6222ea4a91c46194077d00e','answered','[0]','2026-11-16T17:53:05.142Z',760,'[760]',0,'mouse',1);
INSERT INTO "answers" VALUES('te6c5a51fd3c799bad2722ad0','answered','[1]','2026-11-16T17:53:05.142Z',770,'[770]',0,'mouse',1);
INSERT INTO "answers" VALUES('tee44b1900790e61e5964f7c9','answered','[0]','2026-11-16T17:53:05.141Z',700,'[700]',0,'mouse',1);
CREATE TABLE identities (
    session_id TEXT PRIMARY KEY REFERENCES sessions,
    external_id TEXT,
    url_params TEXT NOT NULL
) WITHOUT ROWID;
INSERT INTO "identities" VALUES('s5e426e62ee4c','link:a','{"participant": "a"}');
INSERT INTO "identities" VALUES('sb21e7b54e663','link:b','{"participant": "b"}');
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
INSERT INTO "meta" VALUES('frozen','{"general": {"title": "Which is more alike?", "language": "en", "direction": "auto", "contact": "lab@university.example", "dimension": 2, "seed": 0}, "task": {"kind": "triplet", "shown": 8, "choose": 2, "ranked": true}, "pools": {"practice": 1, "random": 4, "validation": 2, "catch": 1, "repeat": 1, "adaptive": 0, "break_every": 20}, "answers": {"skip": false, "time_limit_s": 0.0, "warn_below_ms": 300}, "sessions": {"resume_hours": 24.0, "again": false}, "items": {"apple": {"item_id": "apple", "kind": "text", "source": "apple", "sha256": "3a7bd3e2360a3d29eea436fcfb7e44c735d117c42d1c1835420b6b9942dd4f1b", "label": "apple", "alt": "", "metadata": {"size": "1"}}, "pear": {"item_id": "pear", "kind": "text", "source": "a pear", "sha256": "abcd8f2936387ae354f0c3d3e6e520ff324a1862df62d08e7b6b5afd5cd7af40", "label": "Pear", "alt": "", "metadata": {"size": "2"}}, "bread": {"item_id": "bread", "kind": "text", "source": "bread", "sha256": "985604c2b60243122c24d4e18363e6434c535923be05f760204a1aef023aae9b", "label": "bread", "alt": "", "metadata": {"size": "3"}}, "cheese": {"item_id": "cheese", "kind": "text", "source": "cheese", "sha256": "873ac9ffea4dd04fa719e8920cd6938f0c23cd678af330939cff53c3d2855f34", "label": "cheese", "alt": "", "metadata": {"size": "4"}}, "rice": {"item_id": "rice", "kind": "text", "source": "rice", "sha256": "209f76418ece7c936b65ff4777a578d860f762c37ad6c7f08f5826242199ef51", "label": "rice", "alt": "", "metadata": {"size": "5"}}, "star": {"item_id": "star", "kind": "image", "source": "star.svg", "sha256": "9bca7daeb2939c74ae7b55d0b6f554a02b7bb95d0f002a118cee6c02c17f69a2", "label": "star", "alt": "a star", "metadata": {"size": "6"}}}, "texts": {"question_triplet": "Which one is more like the one above?", "question_odd_one_out": "Which one is the odd one out?", "question_choose_k": "Choose the {k} that are most like the one above.", "question_choose_k_ranked": "Choose the {k} that are most like the one above, the most similar first.", "question_pairs": "Which pair is more alike?", "agree": "I agree, and I am 18 or older", "disagree": "I do not agree", "declined": "You did not agree, so nothing was stored. You may close this page.", "start_practice": "Begin with a few examples", "start_main": "Begin", "practice": "Example {done} of {total}", "practice_right": "Right.", "practice_wrong": "A careful look finds another answer here. It was marked for you.", "practice_stored": "Thank you.", "practice_over": "That was the last example. From now on your answers count, and no answer is wrong.", "continue": "Continue", "progress": "Question {done} of {total}", "break_title": "Time for a short break", "break_text": "You have answered {done} of {total} questions. Go on when you like.", "skip": "I cannot say", "too_fast": "That was very quick. Please look at everything before you answer.", "timed_out": "The time for this question is over. Here is the next one.", "chosen": "{done} of {total} chosen", "reference": "Compare with", "option": "Choice {number}", "pair": "Pair {number}", "choose": "Choose this one", "keys": "Keys: {keys}", "loading": "Loading\u2026", "media_failed": "Something on this page could not be loaded.", "try_again": "Try again", "leave_out": "Leave this question out", "waiting": "No connection. {count} answers are kept on this device and will be sent.", "storage_full": "The server cannot store answers at the moment. {count} answers are kept on this device and will be sent.", "sending": "Sending your last answers. Please keep this page open.", "other_tab": "The study is open in another tab.", "continue_here": "Continue here", "withdraw": "Stop taking part", "withdraw_sure": "Do you want to stop? You cannot come back afterwards.", "withdrawn": "You stopped taking part. You may close this page.", "done_title": "Thank you", "done_code": "Your completion code:", "done_redirect": "Finish and return", "paused": "The study is paused. This page goes on by itself when it is resumed.", "full": "The study has all the participants it needs. Thank you for coming.", "already": "You have taken part in this study before. Thank you.", "expired": "Your session ended because it was idle for too long.", "busy": "Too many requests at the moment. This page tries again by itself.", "no_script": "This study needs JavaScript. Please switch it on and reload the page.", "contact": "Questions? Write to {contact}"}, "pages": {"consent": "The consent of the study.\n", "instructions": "The instructions of the study.\n", "debrief": "The debrief of the study.\n"}, "questions": {"drawn": [{"reference": "rice", "shown": ["star", "pear"], "expected": []}, {"reference": "apple", "shown": ["cheese", "rice"], "expected": []}]}, "page": {"appearance": "system"}, "written": ["items.apple.alt", "items.apple.item_id", "items.apple.metadata.size", "items.apple.sha256", "items.apple.source", "items.bread.alt", "items.bread.item_id", "items.bread.metadata.size", "items.bread.sha256", "items.bread.source", "items.cheese.alt", "items.cheese.item_id", "items.cheese.metadata.size", "items.cheese.sha256", "items.cheese.source", "items.pear.alt", "items.pear.item_id", "items.pear.metadata.size", "items.pear.sha256", "items.pear.source", "items.rice.alt", "items.rice.item_id", "items.rice.metadata.size", "items.rice.sha256", "items.rice.source", "items.star.alt", "items.star.item_id", "items.star.metadata.size", "items.star.sha256", "items.star.source", "pages.consent", "pages.debrief", "pages.instructions"]}');
INSERT INTO "meta" VALUES('key','156b32ad5b9f44c6f12a74dc1cf12644');
INSERT INTO "meta" VALUES('launched_at','2026-11-16T17:53:05.115Z');
INSERT INTO "meta" VALUES('schema','4');
INSERT INTO "meta" VALUES('study_hash','b51c09a5151a2623');
INSERT INTO "meta" VALUES('token_hash','2d9f6e31d0c53b82a22dbc1d6e0649e1005dd9e48075b9060514de9c04c80b96');
CREATE TABLE responses (
    session_id TEXT NOT NULL REFERENCES sessions,
    moment TEXT NOT NULL,
    name TEXT NOT NULL,
    outcome TEXT NOT NULL,
    answer TEXT NOT NULL,
    received_at TEXT NOT NULL,
    rt_ms INTEGER,
    PRIMARY KEY (session_id, moment, name)
) WITHOUT ROWID;
CREATE TABLE sessions (
    session_id TEXT PRIMARY KEY,
    ordinal INTEGER NOT NULL UNIQUE,
    token_hash TEXT UNIQUE,
    request TEXT UNIQUE,
    study_hash TEXT NOT NULL,
    participant TEXT NOT NULL,
    recruiter TEXT NOT NULL,
    consent_version TEXT NOT NULL,
    consent_at TEXT NOT NULL,
    seed INTEGER NOT NULL,
    user_agent TEXT NOT NULL,
    viewport TEXT NOT NULL,
    pixel_ratio REAL,
    started_at TEXT NOT NULL,
    last_seen_at TEXT NOT NULL,
    finished_at TEXT,
    status TEXT NOT NULL,
    code_issued TEXT
, condition TEXT NOT NULL DEFAULT '', block_order TEXT NOT NULL DEFAULT '', language TEXT NOT NULL DEFAULT '', device TEXT NOT NULL DEFAULT '{}') WITHOUT ROWID;
INSERT INTO "sessions" VALUES('s5e426e62ee4c',1,'76059fc0737c61cda0c748e00ac5fc25f7e2b8314592ee23130e33f10bffecb6','aaaaaaaaaaaaaaaa','b51c09a5151a2623','pe05969fd54','link','5742f6f24595','2026-11-16T17:53:05.124Z',47077535176184,'Browser/1','800x600',2.0,'2026-11-16T17:53:05.124Z','2026-11-16T17:53:05.146Z','2026-11-16T17:53:05.146Z','complete','BD054DFD','','','','{}');
INSERT INTO "sessions" VALUES('sb21e7b54e663',2,'d2a5ad2ed6a12cd0ed6907977ac88c5ebae71ab6a355b6de8f1eaba42bdbcaac','bbbbbbbbbbbbbbbb','b51c09a5151a2623','pfafe1b13ea','link','5742f6f24595','2026-11-16T17:53:05.152Z',44789359545339,'Browser/1','800x600',2.0,'2026-11-16T17:53:05.152Z','2026-11-16T17:53:05.179Z',NULL,'open',NULL,'','','','{}');
CREATE TABLE trials (
    trial_id TEXT PRIMARY KEY,
    session_id TEXT NOT NULL REFERENCES sessions,
    place INTEGER NOT NULL,
    phase TEXT NOT NULL,
    pool TEXT NOT NULL,
    reference TEXT,
    shown TEXT NOT NULL,
    expected TEXT NOT NULL,
    sampler TEXT NOT NULL,
    score REAL,
    model_version INTEGER,
    repeat_of TEXT,
    served_at TEXT
, block TEXT NOT NULL DEFAULT 'main') WITHOUT ROWID;
INSERT INTO "trials" VALUES('t136697bb631a53d5aa23b47e','s5e426e62ee4c',5,'main','random','rice','["pear", "bread"]','[]','random',NULL,NULL,NULL,'2026-11-16T17:53:05.136Z','main');
INSERT INTO "trials" VALUES('t141dddd016654e0099be986b','sb21e7b54e663',0,'practice','practice','cheese','["star", "cheese"]','[1]','random',NULL,NULL,NULL,'2026-11-16T17:53:05.160Z','main');
INSERT INTO "trials" VALUES('t16ca40ca073d62c48618e758','sb21e7b54e663',3,'main','random','pear','["rice", "cheese"]','[]','random',NULL,NULL,NULL,'2026-11-16T17:53:05.160Z','main');
INSERT INTO "trials" VALUES('t34bd2731afd142ca9624e85a','s5e426e62ee4c',2,'main','catch','cheese','["pear", "cheese"]','[1]','random',NULL,NULL,NULL,'2026-11-16T17:53:05.136Z','main');
INSERT INTO "trials" VALUES('t3775c5162acf298f7f98e9f2','sb21e7b54e663',4,'main','random','bread','["star", "rice"]','[]','random',NULL,NULL,NULL,'2026-11-16T17:53:05.160Z','main');
INSERT INTO "trials" VALUES('t3c2ec11083f4fc6222d7279b','sb21e7b54e663',1,'main','catch','pear','["pear", "bread"]','[0]','random',NULL,NULL,NULL,'2026-11-16T17:53:05.160Z','main');
INSERT INTO "trials" VALUES('t582d5c45848bcfb9d74e628e','sb21e7b54e663',6,'main','validation','rice','["star", "pear"]','[]','fixed',NULL,NULL,NULL,'2026-11-16T17:53:05.160Z','main');
INSERT INTO "trials" VALUES('t5880eb269ef344330dff8de5','s5e426e62ee4c',1,'main','validation','rice','["star", "pear"]','[]','fixed',NULL,NULL,NULL,'2026-11-16T17:53:05.136Z','main');
INSERT INTO "trials" VALUES('t644b477ae59b286c3125bbdb','s5e426e62ee4c',3,'main','validation','apple','["cheese", "rice"]','[]','fixed',NULL,NULL,NULL,'2026-11-16T17:53:05.136Z','main');
INSERT INTO "trials" VALUES('t69fea585c6f37bb8944848fc','sb21e7b54e663',8,'main','validation','apple','["cheese", "rice"]','[]','fixed',NULL,NULL,NULL,'2026-11-16T17:53:05.160Z','main');
INSERT INTO "trials" VALUES('t8f1884d335b3c752fac919ca','sb21e7b54e663',5,'main','random','cheese','["bread", "star"]','[]','random',NULL,NULL,NULL,'2026-11-16T17:53:05.160Z','main');
INSERT INTO "trials" VALUES('ta5d7bd8c653f7fd713bd22b0','s5e426e62ee4c',4,'main','random','bread','["rice", "star"]','[]','random',NULL,NULL,NULL,'2026-11-16T17:53:05.136Z','main');
INSERT INTO "trials" VALUES('tb152638e7d6b5a235aabac4a','sb21e7b54e663',7,'main','repeat','pear','["cheese", "rice"]','[]','repeat',NULL,NULL,'t16ca40ca073d62c48618e758','2026-11-16T17:53:05.160Z','main');
INSERT INTO "trials" VALUES('tc787876edd3bca325a34db67','sb21e7b54e663',2,'main','random','pear','["star", "cheese"]','[]','random',NULL,NULL,NULL,'2026-11-16T17:53:05.160Z','main');
INSERT INTO "trials" VALUES('td6a1f663730e462711317859','s5e426e62ee4c',8,'main','random','cheese','["rice", "bread"]','[]','random',NULL,NULL,NULL,'2026-11-16T17:53:05.136Z','main');
INSERT INTO "trials" VALUES('te6222ea4a91c46194077d00e','s5e426e62ee4c',6,'main','repeat','apple','["rice", "cheese"]','[]','repeat',NULL,NULL,'t644b477ae59b286c3125bbdb','2026-11-16T17:53:05.136Z','main');
INSERT INTO "trials" VALUES('te6c5a51fd3c799bad2722ad0','s5e426e62ee4c',7,'main','random','apple','["cheese", "pear"]','[]','random',NULL,NULL,NULL,'2026-11-16T17:53:05.136Z','main');
INSERT INTO "trials" VALUES('tee44b1900790e61e5964f7c9','s5e426e62ee4c',0,'practice','practice','pear','["rice", "pear"]','[1]','random',NULL,NULL,NULL,'2026-11-16T17:53:05.136Z','main');
CREATE INDEX identities_by_external_id ON identities (external_id);
CREATE UNIQUE INDEX trials_in_order ON trials (session_id, place);
COMMIT;
