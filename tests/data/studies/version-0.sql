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
INSERT INTO "answers" VALUES('t15z8GjUzFYrqiPzj','answered','[1]','2026-11-16T17:53:29.673Z',730,'[730]',0,'mouse',1);
INSERT INTO "answers" VALUES('tE8YMjynDGX6JsKWM','answered','[0]','2026-11-16T17:53:29.644Z',720,'[720]',0,'mouse',1);
INSERT INTO "answers" VALUES('tG_Y37LGP7P1zLBWe','answered','[1]','2026-11-16T17:53:29.644Z',750,'[750]',0,'mouse',1);
INSERT INTO "answers" VALUES('tHDmF7aNaHztiA_h2','answered','[0]','2026-11-16T17:53:29.644Z',740,'[740]',0,'mouse',1);
INSERT INTO "answers" VALUES('tM-M6ENkpSp6ZbRDw','answered','[0]','2026-11-16T17:53:29.673Z',740,'[740]',0,'mouse',1);
INSERT INTO "answers" VALUES('tiRlevgQ9t8fCKJcf','answered','[0]','2026-11-16T17:53:29.673Z',700,'[700]',0,'mouse',1);
INSERT INTO "answers" VALUES('toZvM2zm3XvMrqscs','answered','[1]','2026-11-16T17:53:29.644Z',730,'[730]',0,'mouse',1);
INSERT INTO "answers" VALUES('tp5rmg1Zhes8d9POx','answered','[1]','2026-11-16T17:53:29.644Z',710,'[710]',0,'mouse',1);
INSERT INTO "answers" VALUES('tpdmFCT558QLzq3b6','answered','[1]','2026-11-16T17:53:29.644Z',770,'[770]',0,'mouse',1);
INSERT INTO "answers" VALUES('ttoNmBDq_KzG4X3pa','answered','[1]','2026-11-16T17:53:29.673Z',710,'[710]',0,'mouse',1);
INSERT INTO "answers" VALUES('twJpFmh7CRvDjKc4N','answered','[0]','2026-11-16T17:53:29.673Z',720,'[720]',0,'mouse',1);
INSERT INTO "answers" VALUES('twuqgTvLiRQbaSKkp','answered','[0]','2026-11-16T17:53:29.644Z',780,'[780]',0,'mouse',1);
INSERT INTO "answers" VALUES('tx1faIPGKTmOaYWFu','answered','[0]','2026-11-16T17:53:29.644Z',700,'[700]',0,'mouse',1);
INSERT INTO "answers" VALUES('txfHtiCRdpgQgW0DH','answered','[0]','2026-11-16T17:53:29.644Z',760,'[760]',0,'mouse',1);
CREATE TABLE identities (
    session_id TEXT PRIMARY KEY REFERENCES sessions,
    external_id TEXT,
    url_params TEXT NOT NULL
) WITHOUT ROWID;
INSERT INTO "identities" VALUES('s82466fdbae4e','link:b','{"participant": "b"}');
INSERT INTO "identities" VALUES('sfcb0582c141d','link:a','{"participant": "a"}');
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
INSERT INTO "meta" VALUES('frozen','{"schema": 1, "general": {"title": "Which is more alike?", "language": "en", "direction": "auto", "contact": "lab@university.example", "dimension": 2, "seed": 0}, "task": {"kind": "triplet", "shown": 8, "choose": 2, "ranked": true}, "pools": {"practice": 1, "random": 4, "validation": 2, "catch": 1, "repeat": 1, "adaptive": 0, "break_every": 20}, "answers": {"skip": false, "time_limit_s": 0.0, "warn_below_ms": 300}, "sessions": {"resume_hours": 24.0, "again": false}, "items": {"apple": {"item_id": "apple", "kind": "text", "source": "apple", "sha256": "3a7bd3e2360a3d29eea436fcfb7e44c735d117c42d1c1835420b6b9942dd4f1b", "label": "apple", "alt": "", "metadata": {"size": "1"}}, "pear": {"item_id": "pear", "kind": "text", "source": "a pear", "sha256": "abcd8f2936387ae354f0c3d3e6e520ff324a1862df62d08e7b6b5afd5cd7af40", "label": "Pear", "alt": "", "metadata": {"size": "2"}}, "bread": {"item_id": "bread", "kind": "text", "source": "bread", "sha256": "985604c2b60243122c24d4e18363e6434c535923be05f760204a1aef023aae9b", "label": "bread", "alt": "", "metadata": {"size": "3"}}, "cheese": {"item_id": "cheese", "kind": "text", "source": "cheese", "sha256": "873ac9ffea4dd04fa719e8920cd6938f0c23cd678af330939cff53c3d2855f34", "label": "cheese", "alt": "", "metadata": {"size": "4"}}, "rice": {"item_id": "rice", "kind": "text", "source": "rice", "sha256": "209f76418ece7c936b65ff4777a578d860f762c37ad6c7f08f5826242199ef51", "label": "rice", "alt": "", "metadata": {"size": "5"}}, "star": {"item_id": "star", "kind": "image", "source": "star.svg", "sha256": "9bca7daeb2939c74ae7b55d0b6f554a02b7bb95d0f002a118cee6c02c17f69a2", "label": "star", "alt": "a star", "metadata": {"size": "6"}}}, "texts": {"question_triplet": "Which one is more like the one above?", "question_odd_one_out": "Which one is the odd one out?", "question_choose_k": "Choose the {k} that are most like the one above.", "question_choose_k_ranked": "Choose the {k} that are most like the one above, the most similar first.", "question_pair_against_pair": "Which pair is more alike?", "agree": "I agree, and I am 18 or older", "disagree": "I do not agree", "declined": "You did not agree, so nothing was stored. You may close this page.", "start_practice": "Begin with a few examples", "start_main": "Begin", "practice": "Example {done} of {total}", "practice_right": "Right.", "practice_wrong": "A careful look finds another answer here. It was marked for you.", "practice_stored": "Thank you.", "practice_over": "That was the last example. From now on your answers count, and no answer is wrong.", "continue": "Continue", "progress": "Question {done} of {total}", "break_title": "Time for a short break", "break_text": "You have answered {done} of {total} questions. Go on when you like.", "skip": "I cannot say", "too_fast": "That was very quick. Please look at everything before you answer.", "timed_out": "The time for this question is over. Here is the next one.", "chosen": "{done} of {total} chosen", "reference": "Compare with", "option": "Choice {number}", "pair": "Pair {number}", "choose": "Choose this one", "keys": "Keys: {keys}", "loading": "Loading\u2026", "media_failed": "Something on this page could not be loaded.", "try_again": "Try again", "leave_out": "Leave this question out", "waiting": "No connection. {count} answers are kept on this device and will be sent.", "storage_full": "The server cannot store answers at the moment. {count} answers are kept on this device and will be sent.", "sending": "Sending your last answers. Please keep this page open.", "other_tab": "The study is open in another tab.", "continue_here": "Continue here", "withdraw": "Stop taking part", "withdraw_sure": "Do you want to stop? You cannot come back afterwards.", "withdrawn": "You stopped taking part. You may close this page.", "done_title": "Thank you", "done_code": "Your completion code:", "done_redirect": "Finish and return", "paused": "The study is paused. This page goes on by itself when it is resumed.", "full": "The study has all the participants it needs. Thank you for coming.", "already": "You have taken part in this study before. Thank you.", "expired": "Your session ended because it was idle for too long.", "busy": "Too many requests at the moment. This page tries again by itself.", "no_script": "This study needs JavaScript. Please switch it on and reload the page.", "contact": "Questions? Write to {contact}"}, "pages": {"consent": "The consent of the study.\n", "instructions": "The instructions of the study.\n", "debrief": "The debrief of the study.\n"}, "questions": {}}');
INSERT INTO "meta" VALUES('launched_at','2026-11-16T17:53:29.609Z');
INSERT INTO "meta" VALUES('schema','1');
INSERT INTO "meta" VALUES('study_hash','b51c09a5151a2623');
INSERT INTO "meta" VALUES('token_hash','2d9f6e31d0c53b82a22dbc1d6e0649e1005dd9e48075b9060514de9c04c80b96');
CREATE TABLE sessions (
    session_id TEXT PRIMARY KEY,
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
) WITHOUT ROWID;
INSERT INTO "sessions" VALUES('s82466fdbae4e','508aca650e5d18e78780994cd3537775e4e296ec4c253946a6a4984ad9471719','bbbbbbbbbbbbbbbb','b51c09a5151a2623','p860a3a38f9','link','5742f6f24595','2026-11-16T17:53:29.653Z',149486831367983,'Browser/1','800x600',2.0,'2026-11-16T17:53:29.653Z','2026-11-16T17:53:29.673Z',NULL,'open',NULL);
INSERT INTO "sessions" VALUES('sfcb0582c141d','75b10c8716254d9250bbe3e2708ef9d824ba1c0119c26276c8226347e85cad42','aaaaaaaaaaaaaaaa','b51c09a5151a2623','p362acef763','link','5742f6f24595','2026-11-16T17:53:29.617Z',144410149937658,'Browser/1','800x600',2.0,'2026-11-16T17:53:29.617Z','2026-11-16T17:53:29.650Z','2026-11-16T17:53:29.650Z','complete','3B9E6D47');
CREATE TABLE trials (
    trial_id TEXT PRIMARY KEY,
    session_id TEXT NOT NULL REFERENCES sessions,
    place INTEGER NOT NULL,
    block TEXT NOT NULL,
    pool TEXT NOT NULL,
    reference TEXT,
    shown TEXT NOT NULL,
    expected TEXT NOT NULL,
    sampler TEXT NOT NULL,
    repeat_of TEXT,
    served_at TEXT
) WITHOUT ROWID;
INSERT INTO "trials" VALUES('t15z8GjUzFYrqiPzj','s82466fdbae4e',3,'main','random','rice','["star", "bread"]','[]','random',NULL,'2026-11-16T17:53:29.655Z');
INSERT INTO "trials" VALUES('tDIEiZVSv3bU-4YI_','s82466fdbae4e',7,'main','repeat','rice','["bread", "star"]','[]','repeat','t15z8GjUzFYrqiPzj','2026-11-16T17:53:29.655Z');
INSERT INTO "trials" VALUES('tE8YMjynDGX6JsKWM','sfcb0582c141d',2,'main','random','pear','["star", "bread"]','[]','random',NULL,'2026-11-16T17:53:29.635Z');
INSERT INTO "trials" VALUES('tG_Y37LGP7P1zLBWe','sfcb0582c141d',5,'main','validation','rice','["star", "pear"]','[]','fixed',NULL,'2026-11-16T17:53:29.635Z');
INSERT INTO "trials" VALUES('tHDmF7aNaHztiA_h2','sfcb0582c141d',4,'main','catch','star','["star", "pear"]','[0]','random',NULL,'2026-11-16T17:53:29.635Z');
INSERT INTO "trials" VALUES('tM-M6ENkpSp6ZbRDw','s82466fdbae4e',4,'main','random','apple','["rice", "pear"]','[]','random',NULL,'2026-11-16T17:53:29.655Z');
INSERT INTO "trials" VALUES('tS6mYzUwfT0MgMLC5','s82466fdbae4e',8,'main','catch','pear','["apple", "pear"]','[1]','random',NULL,'2026-11-16T17:53:29.655Z');
INSERT INTO "trials" VALUES('tU4cufP_hxcyLzeks','s82466fdbae4e',6,'main','validation','rice','["star", "pear"]','[]','fixed',NULL,'2026-11-16T17:53:29.655Z');
INSERT INTO "trials" VALUES('tiRlevgQ9t8fCKJcf','s82466fdbae4e',0,'practice','practice','apple','["pear", "apple"]','[1]','random',NULL,'2026-11-16T17:53:29.655Z');
INSERT INTO "trials" VALUES('toZvM2zm3XvMrqscs','sfcb0582c141d',3,'main','random','bread','["pear", "apple"]','[]','random',NULL,'2026-11-16T17:53:29.635Z');
INSERT INTO "trials" VALUES('tp5rmg1Zhes8d9POx','sfcb0582c141d',1,'main','random','star','["cheese", "apple"]','[]','random',NULL,'2026-11-16T17:53:29.635Z');
INSERT INTO "trials" VALUES('tpdmFCT558QLzq3b6','sfcb0582c141d',7,'main','validation','apple','["rice", "cheese"]','[]','fixed',NULL,'2026-11-16T17:53:29.635Z');
INSERT INTO "trials" VALUES('ttoNmBDq_KzG4X3pa','s82466fdbae4e',1,'main','random','cheese','["rice", "star"]','[]','random',NULL,'2026-11-16T17:53:29.655Z');
INSERT INTO "trials" VALUES('twJpFmh7CRvDjKc4N','s82466fdbae4e',2,'main','validation','apple','["rice", "cheese"]','[]','fixed',NULL,'2026-11-16T17:53:29.655Z');
INSERT INTO "trials" VALUES('twuqgTvLiRQbaSKkp','sfcb0582c141d',8,'main','repeat','pear','["bread", "star"]','[]','repeat','tE8YMjynDGX6JsKWM','2026-11-16T17:53:29.635Z');
INSERT INTO "trials" VALUES('tx1faIPGKTmOaYWFu','sfcb0582c141d',0,'practice','practice','cheese','["cheese", "bread"]','[0]','random',NULL,'2026-11-16T17:53:29.635Z');
INSERT INTO "trials" VALUES('txQvPu_z1fIEVS5CO','s82466fdbae4e',5,'main','random','rice','["pear", "bread"]','[]','random',NULL,'2026-11-16T17:53:29.655Z');
INSERT INTO "trials" VALUES('txfHtiCRdpgQgW0DH','sfcb0582c141d',6,'main','random','pear','["cheese", "rice"]','[]','random',NULL,'2026-11-16T17:53:29.635Z');
CREATE INDEX identities_by_external_id ON identities (external_id);
CREATE UNIQUE INDEX trials_in_order ON trials (session_id, place);
COMMIT;
