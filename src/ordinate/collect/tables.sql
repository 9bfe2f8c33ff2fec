-- The tables of a study's database; store.LAYOUT is their version.

CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
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
    code_issued TEXT,
    condition TEXT NOT NULL DEFAULT '',
    block_order TEXT NOT NULL DEFAULT '',
    language TEXT NOT NULL DEFAULT '',
    device TEXT NOT NULL DEFAULT '{}',
    answered_by TEXT NOT NULL DEFAULT 'person',
    front_end TEXT NOT NULL DEFAULT '',
    machine TEXT NOT NULL DEFAULT '{}',
    wave INTEGER NOT NULL DEFAULT 1,
    decision TEXT NOT NULL DEFAULT '',  -- of the experimenter: included, rejected, or none
    reason TEXT NOT NULL DEFAULT ''
) WITHOUT ROWID;
CREATE TABLE identities (
    session_id TEXT PRIMARY KEY REFERENCES sessions,
    external_id TEXT,
    url_params TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX identities_by_external_id ON identities (external_id);
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
    served_at TEXT,
    block TEXT NOT NULL DEFAULT 'main'
) WITHOUT ROWID;
CREATE UNIQUE INDEX trials_in_order ON trials (session_id, place);
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
CREATE TABLE replies (
    trial_id TEXT PRIMARY KEY REFERENCES trials,
    sent_at TEXT,
    n_tries INTEGER NOT NULL,
    received_at TEXT,
    took_ms INTEGER,
    body TEXT,
    input_tokens INTEGER NOT NULL,
    output_tokens INTEGER NOT NULL,
    cost REAL NOT NULL
) WITHOUT ROWID;
