"""The schema of the first release, which the first migration makes: content, and the work done on
it.

AUTOINCREMENT where a row's id outlives it, in a run's events, a cache or a process at work: an id
is never used again.
"""

from __future__ import annotations

CONTENT = """
CREATE TABLE collections (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL UNIQUE,
    revision INTEGER NOT NULL DEFAULT 0,  -- rises with every change of passages or triples
    passages_revision INTEGER NOT NULL DEFAULT 0,  -- the last revision that changed passages
    active_set_id INTEGER REFERENCES triple_sets(id) ON DELETE SET NULL,
    max_iterations INTEGER,               -- of multi-step methods; NULL = the method's own
    created TEXT NOT NULL
);
CREATE TABLE documents (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    collection_id INTEGER NOT NULL REFERENCES collections(id) ON DELETE CASCADE,
    title TEXT NOT NULL,
    text TEXT NOT NULL,
    source TEXT NOT NULL,
    text_hash BLOB NOT NULL,
    added INTEGER NOT NULL,
    retired INTEGER,
    created TEXT NOT NULL
);
CREATE UNIQUE INDEX documents_once ON documents (collection_id, text_hash) WHERE retired IS NULL;
CREATE TABLE passages (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    collection_id INTEGER NOT NULL REFERENCES collections(id) ON DELETE CASCADE,
    document_id INTEGER REFERENCES documents(id) ON DELETE CASCADE,
    key TEXT NOT NULL,
    title TEXT NOT NULL,
    text TEXT NOT NULL,
    "start" INTEGER NOT NULL,             -- offsets into the document's text
    "end" INTEGER NOT NULL,
    text_hash BLOB NOT NULL,              -- of the words that are searched, "title. text"
    added INTEGER NOT NULL,
    retired INTEGER
);
CREATE UNIQUE INDEX passages_key ON passages (collection_id, key) WHERE retired IS NULL;
CREATE UNIQUE INDEX passages_once ON passages (collection_id, text_hash) WHERE retired IS NULL;
CREATE INDEX passages_collection ON passages (collection_id, id);
CREATE INDEX passages_document ON passages (document_id);
CREATE TABLE passage_aliases (            -- other ids under which the same content was handed in
    collection_id INTEGER NOT NULL REFERENCES collections(id) ON DELETE CASCADE,
    alias TEXT NOT NULL,
    key TEXT NOT NULL,
    PRIMARY KEY (collection_id, alias)
) WITHOUT ROWID;
CREATE TABLE triple_sets (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    collection_id INTEGER NOT NULL REFERENCES collections(id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    maker TEXT NOT NULL,                  -- "import" or the extractor's name
    revision INTEGER NOT NULL DEFAULT 0,  -- the last revision that changed this set
    created TEXT NOT NULL,
    UNIQUE (collection_id, name)
);
CREATE TABLE entities (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    collection_id INTEGER NOT NULL REFERENCES collections(id) ON DELETE CASCADE,
    name TEXT NOT NULL,                   -- normalised: the identity
    surface TEXT NOT NULL,                -- as first written
    UNIQUE (collection_id, name)
);
CREATE TABLE triples (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    set_id INTEGER NOT NULL REFERENCES triple_sets(id) ON DELETE CASCADE,
    passage_id INTEGER NOT NULL REFERENCES passages(id) ON DELETE CASCADE,
    subject TEXT NOT NULL,
    predicate TEXT NOT NULL,
    object TEXT NOT NULL,
    subject_id INTEGER REFERENCES entities(id),  -- NULL where the name normalises to nothing
    object_id INTEGER REFERENCES entities(id),
    span_start INTEGER,                   -- the sentence it came from, in the passage's text
    span_end INTEGER,
    closest INTEGER NOT NULL DEFAULT 0,   -- 1: the sentence is only the closest match
    text_hash BLOB NOT NULL,              -- of "subject predicate object"
    added INTEGER NOT NULL,
    retired INTEGER
);
CREATE INDEX triples_set ON triples (set_id, id);
CREATE INDEX triples_passage ON triples (passage_id, set_id);
CREATE INDEX triples_subject ON triples (subject_id, set_id);
CREATE INDEX triples_object ON triples (object_id, set_id);
CREATE TABLE passage_entities (
    set_id INTEGER NOT NULL REFERENCES triple_sets(id) ON DELETE CASCADE,
    passage_id INTEGER NOT NULL REFERENCES passages(id) ON DELETE CASCADE,
    entity_id INTEGER NOT NULL REFERENCES entities(id) ON DELETE CASCADE,
    PRIMARY KEY (set_id, entity_id, passage_id)
) WITHOUT ROWID;
CREATE INDEX passage_entities_passage ON passage_entities (passage_id);
CREATE INDEX passage_entities_entity ON passage_entities (entity_id);
CREATE TABLE extractions (                -- one row for every passage a set has been made for
    set_id INTEGER NOT NULL REFERENCES triple_sets(id) ON DELETE CASCADE,
    passage_id INTEGER NOT NULL REFERENCES passages(id) ON DELETE CASCADE,
    state TEXT NOT NULL,                  -- extracted, searchable (vectors are there), failed
    triples INTEGER NOT NULL DEFAULT 0,
    error TEXT NOT NULL DEFAULT '',
    reply TEXT NOT NULL DEFAULT '',       -- what a model said that could not be used
    fingerprint TEXT NOT NULL,            -- of what made it
    at TEXT NOT NULL,
    PRIMARY KEY (set_id, passage_id)
) WITHOUT ROWID;
CREATE INDEX extractions_passage ON extractions (passage_id);
CREATE INDEX extractions_waiting ON extractions (set_id, passage_id) WHERE state = 'extracted';
CREATE TABLE models (id INTEGER PRIMARY KEY, fingerprint TEXT NOT NULL UNIQUE);
CREATE TABLE embeddings (
    model_id INTEGER NOT NULL REFERENCES models(id) ON DELETE CASCADE,
    text_hash BLOB NOT NULL,              -- blake2b of the text, 16 bytes
    vector BLOB NOT NULL                  -- float32, little-endian, L2-normalised
);
CREATE UNIQUE INDEX embeddings_text ON embeddings (model_id, text_hash);
CREATE TABLE questions (
    id INTEGER PRIMARY KEY,
    collection_id INTEGER NOT NULL REFERENCES collections(id) ON DELETE CASCADE,
    key TEXT NOT NULL,
    question TEXT NOT NULL,
    normal TEXT NOT NULL,                 -- the words alone: finds a typed question again
    answers TEXT NOT NULL,                -- JSON
    type TEXT,
    hops INTEGER,
    decomposition TEXT NOT NULL,          -- JSON
    UNIQUE (collection_id, key)
);
CREATE INDEX questions_normal ON questions (collection_id, normal);
CREATE TABLE gold (
    question_id INTEGER NOT NULL REFERENCES questions(id) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    key TEXT NOT NULL,                    -- the passage's key, kept where it does not exist
    PRIMARY KEY (question_id, position)
) WITHOUT ROWID
"""

WORK = """
CREATE TABLE runs (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    question TEXT NOT NULL,
    method TEXT NOT NULL,
    config TEXT NOT NULL,                 -- JSON, every setting by its full name
    reader TEXT NOT NULL,
    k INTEGER NOT NULL,
    collection_id INTEGER REFERENCES collections(id) ON DELETE SET NULL,
    collection TEXT NOT NULL,             -- its name when the run was made
    set_id INTEGER REFERENCES triple_sets(id) ON DELETE SET NULL,
    triple_set TEXT,                      -- NULL: the method uses none
    revision INTEGER NOT NULL,
    corpus_hash TEXT NOT NULL DEFAULT '',
    versions TEXT NOT NULL DEFAULT '{}',  -- JSON: code, models, prompts
    gold TEXT NOT NULL DEFAULT '[]',      -- JSON: passage keys known then, or marked later
    gold_marked TEXT,                     -- when it was marked, if later
    owner TEXT NOT NULL,                  -- who asked: the queue is fair among owners
    process TEXT,                         -- who works on it
    state TEXT NOT NULL,                  -- queued running done failed cancelled interrupted
    message TEXT NOT NULL DEFAULT '',
    cancel INTEGER NOT NULL DEFAULT 0,
    created TEXT NOT NULL,
    started REAL,                         -- seconds since 1970
    heartbeat REAL,
    ms REAL,
    iterations INTEGER NOT NULL DEFAULT 0,
    input_tokens INTEGER NOT NULL DEFAULT 0,
    output_tokens INTEGER NOT NULL DEFAULT 0
);
CREATE INDEX runs_state ON runs (state);
CREATE INDEX runs_collection ON runs (collection_id);
CREATE INDEX runs_owner ON runs (owner, started);
CREATE INDEX runs_set ON runs (set_id);
CREATE TABLE events (
    run INTEGER NOT NULL REFERENCES runs(number) ON DELETE CASCADE,
    position INTEGER NOT NULL,            -- from 1
    at_ms REAL NOT NULL,                  -- since the run began
    schema INTEGER NOT NULL,
    kind TEXT NOT NULL,
    iteration INTEGER NOT NULL,
    payload BLOB NOT NULL,                -- the event's row as JSON, zlib
    PRIMARY KEY (run, position)
);
CREATE TABLE annotations (
    id INTEGER PRIMARY KEY,
    run INTEGER NOT NULL REFERENCES runs(number) ON DELETE CASCADE,
    kind TEXT NOT NULL,
    value TEXT NOT NULL,                  -- JSON
    author TEXT NOT NULL,
    created TEXT NOT NULL
);
CREATE INDEX annotations_run ON annotations (run);
CREATE TABLE jobs (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    kind TEXT NOT NULL,                   -- import, extraction, vectors
    collection_id INTEGER NOT NULL REFERENCES collections(id) ON DELETE CASCADE,
    set_id INTEGER REFERENCES triple_sets(id) ON DELETE CASCADE,
    extractor TEXT NOT NULL DEFAULT '',
    owner TEXT NOT NULL,
    process TEXT,
    state TEXT NOT NULL,                  -- queued running done failed cancelled
    message TEXT NOT NULL DEFAULT '',
    cancel INTEGER NOT NULL DEFAULT 0,
    total INTEGER NOT NULL DEFAULT 0,
    done INTEGER NOT NULL DEFAULT 0,
    failed INTEGER NOT NULL DEFAULT 0,
    first INTEGER NOT NULL DEFAULT 0,     -- of done, what this process found made: for the rate
    worked_s REAL NOT NULL DEFAULT 0,     -- seconds of work since then
    created TEXT NOT NULL,
    heartbeat REAL,
    turn REAL NOT NULL DEFAULT 0          -- when it last had a slice: the longest wait goes first
);
CREATE INDEX jobs_state ON jobs (state);
CREATE INDEX jobs_collection ON jobs (collection_id);
CREATE INDEX jobs_set ON jobs (set_id);
CREATE TABLE processes (                  -- who is alive: the worker and the web processes
    id TEXT PRIMARY KEY,
    role TEXT NOT NULL,
    state TEXT NOT NULL,
    message TEXT NOT NULL DEFAULT '',
    seen REAL NOT NULL
) WITHOUT ROWID
"""
