"""The schema of a workspace file, and its version number. A file of another version is refused
(store.database): whoever changes the schema, or the fields of events, raises VERSION.

A comment says what the table or the column before it holds; it stays in the file. Columns of the
types JSON_TEXT and BOOLEAN are read as such (store.database).

Rules that hold throughout: rows of passages and triples are added and retired, never changed.
`added` and `retired` are revisions of the collection: a row exists at revision r when added <= r
and not retired <= r. What an undo brings back is a new row. AUTOINCREMENT where a row's id outlives
it, in a run's events, a cache or a process at work: an id is never used again. Times are in UTC, as
text that sorts, or in seconds since 1970.
"""

from __future__ import annotations

VERSION = 12
SCHEMA = """
CREATE TABLE collections (  -- passages with what was made of them and questions about them
    id INTEGER PRIMARY KEY AUTOINCREMENT,  -- its number, never used again
    name TEXT NOT NULL UNIQUE,            -- what people call it
    revision INTEGER NOT NULL DEFAULT 0,  -- rises with every change of passages or triples
    passages_revision INTEGER NOT NULL DEFAULT 0,  -- the last revision that changed passages
    active_set_id INTEGER REFERENCES triple_sets(id) ON DELETE SET NULL,  -- what runs use
    max_iterations INTEGER,               -- of multi-step methods; NULL = the method's own
    created TEXT NOT NULL,                -- when
    pinned_run INTEGER REFERENCES tasks(number) ON DELETE SET NULL,
        -- the run that the collection opens with; NULL: its latest
    cluster TEXT NOT NULL DEFAULT '',     -- the addresses of the cluster that holds it, with commas
                                          -- between; '' = this file does
    index_name TEXT NOT NULL DEFAULT '',  -- of its passages there
    passages_there INTEGER NOT NULL DEFAULT 0,  -- how many
    recorded BOOLEAN NOT NULL DEFAULT 0   -- 1: it has only the passages of imported runs
);
CREATE TABLE documents (                  -- texts as they were handed in
    id INTEGER PRIMARY KEY AUTOINCREMENT,  -- its number, never used again
    collection_id INTEGER NOT NULL REFERENCES collections(id) ON DELETE CASCADE,
    title TEXT NOT NULL,                  -- what it is called
    text TEXT NOT NULL,                   -- all of it
    source TEXT NOT NULL,                 -- where it came from: a file name, "pasted text"
    text_hash BLOB NOT NULL,              -- blake2b of the text, 16 bytes
    added INTEGER NOT NULL,               -- the revision that added it
    retired INTEGER,                      -- the revision that took it away; NULL = none
    created TEXT NOT NULL,                -- when
    pages JSON_TEXT NOT NULL DEFAULT '[]'  -- where in the text each of its pages begins
);
CREATE UNIQUE INDEX documents_once ON documents (collection_id, text_hash)
    WHERE retired IS NULL;
CREATE INDEX documents_of_source ON documents (collection_id, source, added) WHERE retired IS NULL;
CREATE TABLE passages (                   -- what is searched and retrieved
    id INTEGER PRIMARY KEY AUTOINCREMENT,  -- its number, never used again
    collection_id INTEGER NOT NULL REFERENCES collections(id) ON DELETE CASCADE,
    document_id INTEGER REFERENCES documents(id) ON DELETE CASCADE,  -- NULL: it came ready-made
    key TEXT NOT NULL,                    -- its outward name; gold passages are named by it
    title TEXT NOT NULL,                  -- the document's, or its own
    text TEXT NOT NULL,                   -- its words
    "start" INTEGER NOT NULL DEFAULT 0,   -- offsets into the document's text
    "end" INTEGER NOT NULL DEFAULT 0,     -- exclusive
    text_hash BLOB NOT NULL,              -- of the words that are searched, "title. text"
    added INTEGER NOT NULL DEFAULT 1,     -- the revision that added it
    retired INTEGER,                      -- the revision that took it away; NULL = none
    mentions INTEGER NOT NULL DEFAULT 0   -- the version of the rules by which its mentions were
                                          -- found; 0: they were not
);
CREATE UNIQUE INDEX passages_key ON passages (collection_id, key) WHERE retired IS NULL;
CREATE UNIQUE INDEX passages_once ON passages (collection_id, text_hash) WHERE retired IS NULL;
CREATE INDEX passages_collection ON passages (collection_id, id);
CREATE INDEX passages_document ON passages (document_id);
CREATE INDEX passages_unread ON passages (collection_id, mentions);
CREATE TABLE passage_aliases (            -- other ids under which the same content was handed in
    collection_id INTEGER NOT NULL REFERENCES collections(id) ON DELETE CASCADE,
    alias TEXT NOT NULL,                  -- the other id
    key TEXT NOT NULL,                    -- of the passage that has the content
    PRIMARY KEY (collection_id, alias)
) WITHOUT ROWID;
CREATE TABLE triple_sets (                -- a collection's triples, made in one way
    id INTEGER PRIMARY KEY AUTOINCREMENT,  -- its number, never used again
    collection_id INTEGER NOT NULL REFERENCES collections(id) ON DELETE CASCADE,
    name TEXT NOT NULL,                   -- what people call it
    maker TEXT NOT NULL,                  -- "import" or the extractor's name
    revision INTEGER NOT NULL DEFAULT 0,  -- the last revision that changed this set
    created TEXT NOT NULL,                -- when
    index_name TEXT NOT NULL DEFAULT '',  -- in the collection's cluster, of its passages and these
                                          -- triples
    triples_there INTEGER NOT NULL DEFAULT 0,  -- how many
    task INTEGER REFERENCES tasks(number) ON DELETE SET NULL,  -- the import that made it
    UNIQUE (collection_id, name)
);
CREATE TABLE entities (                   -- what triples are about
    id INTEGER PRIMARY KEY AUTOINCREMENT,  -- its number, never used again
    collection_id INTEGER NOT NULL REFERENCES collections(id) ON DELETE CASCADE,
    name TEXT NOT NULL,                   -- normalised: the identity
    surface TEXT NOT NULL,                -- as first written
    UNIQUE (collection_id, name)
);
CREATE TABLE triples (                    -- facts, each of one passage
    id INTEGER PRIMARY KEY AUTOINCREMENT,  -- its number, never used again
    set_id INTEGER NOT NULL REFERENCES triple_sets(id) ON DELETE CASCADE,
    passage_id INTEGER NOT NULL REFERENCES passages(id) ON DELETE CASCADE,
    subject TEXT NOT NULL,                -- as written
    predicate TEXT NOT NULL,              -- as written
    object TEXT NOT NULL,                 -- as written
    subject_id INTEGER REFERENCES entities(id),  -- NULL where the name normalises to nothing
    object_id INTEGER REFERENCES entities(id),  -- likewise
    span_start INTEGER,                   -- the sentence it came from, in the passage's text
    span_end INTEGER,                     -- exclusive; both NULL where it is not known
    closest INTEGER NOT NULL DEFAULT 0,   -- 1: the sentence is only the closest match
    text_hash BLOB NOT NULL,              -- of "subject predicate object"
    replaces INTEGER,                     -- the triple that a correction changed into this one
    added INTEGER NOT NULL,               -- the revision that added it
    retired INTEGER                       -- the revision that took it away; NULL = none
);
CREATE INDEX triples_set ON triples (set_id, id);
CREATE INDEX triples_passage ON triples (passage_id, set_id);
CREATE INDEX triples_subject ON triples (subject_id, set_id);
CREATE INDEX triples_object ON triples (object_id, set_id);
CREATE INDEX triples_added ON triples (set_id, added);
CREATE INDEX triples_retired ON triples (set_id, retired) WHERE retired IS NOT NULL;
CREATE TABLE extractions (                -- one row for every passage a set has been made for
    set_id INTEGER NOT NULL REFERENCES triple_sets(id) ON DELETE CASCADE,
    passage_id INTEGER NOT NULL REFERENCES passages(id) ON DELETE CASCADE,
    state TEXT NOT NULL,                  -- done, failed
    triples INTEGER NOT NULL DEFAULT 0,   -- how many came of it
    error TEXT NOT NULL DEFAULT '',       -- why it failed
    reply TEXT NOT NULL DEFAULT '',       -- what a model said that could not be used
    fingerprint TEXT NOT NULL,            -- of what made it
    at TEXT NOT NULL,                     -- when
    dropped INTEGER NOT NULL DEFAULT 0,   -- parts of a reply that could not be used; the reply is
                                          -- in `reply`
    PRIMARY KEY (set_id, passage_id)
) WITHOUT ROWID;
CREATE INDEX extractions_passage ON extractions (passage_id);
CREATE TABLE sentences (                  -- of passages, in the order of their text
    id INTEGER PRIMARY KEY AUTOINCREMENT,  -- its number, never used again
    passage_id INTEGER NOT NULL REFERENCES passages(id) ON DELETE CASCADE,
    number INTEGER NOT NULL,              -- from 1, within the passage
    "start" INTEGER NOT NULL,             -- offsets into the passage's text
    "end" INTEGER NOT NULL,               -- exclusive
    text_hash BLOB NOT NULL,              -- of "title: sentence", which is encoded
    UNIQUE (passage_id, number)
);
CREATE TABLE mentions (                   -- what passages name, in a normal form
    id INTEGER PRIMARY KEY AUTOINCREMENT,  -- its number, never used again
    collection_id INTEGER NOT NULL REFERENCES collections(id) ON DELETE CASCADE,
    name TEXT NOT NULL,                   -- the normal form: the identity
    UNIQUE (collection_id, name)
);
CREATE TABLE passage_mentions (           -- where a passage names something
    passage_id INTEGER NOT NULL REFERENCES passages(id) ON DELETE CASCADE,
    sentence INTEGER NOT NULL,            -- its number; 0: the title
    mention_id INTEGER NOT NULL REFERENCES mentions(id) ON DELETE CASCADE,
    "start" INTEGER NOT NULL,             -- offsets into the passage's text, or the title
    "end" INTEGER NOT NULL,               -- exclusive
    lower INTEGER NOT NULL,               -- 1: written in lower case, as an ordinary word
    PRIMARY KEY (passage_id, sentence, mention_id, "start")
) WITHOUT ROWID;
CREATE INDEX passage_mentions_mention ON passage_mentions (mention_id, passage_id);
CREATE TABLE models (                     -- embedding models, numbered
    id INTEGER PRIMARY KEY,               -- its number
    fingerprint TEXT NOT NULL UNIQUE      -- of the model and how it is used
);
CREATE TABLE embeddings (                 -- vectors of texts, whoever has the text
    model_id INTEGER NOT NULL REFERENCES models(id) ON DELETE CASCADE,
    text_hash BLOB NOT NULL,              -- blake2b of the text, 16 bytes
    vector BLOB NOT NULL                  -- float32, little-endian, L2-normalised
);
CREATE UNIQUE INDEX embeddings_text ON embeddings (model_id, text_hash);
CREATE TABLE synonyms (                   -- pairs of entities whose names mean the same
    collection_id INTEGER NOT NULL REFERENCES collections(id) ON DELETE CASCADE,
    fingerprint TEXT NOT NULL,            -- of the model
    entity_id INTEGER NOT NULL,           -- the last that was compared with all before it
    pairs BLOB NOT NULL,                  -- those found since the row before (core.rows.PAIRS)
    PRIMARY KEY (collection_id, fingerprint, entity_id)
);
CREATE TABLE questions (                  -- a collection's questions, as they were imported
    id INTEGER PRIMARY KEY,               -- its number
    collection_id INTEGER NOT NULL REFERENCES collections(id) ON DELETE CASCADE,
    key TEXT NOT NULL,                    -- the data set's own id
    question TEXT NOT NULL,               -- its words
    normal TEXT NOT NULL,                 -- the words alone: finds a typed question again
    answers JSON_TEXT NOT NULL,           -- known answers, with all aliases
    type TEXT,                            -- the data set's own word
    hops INTEGER,                         -- how many facts it needs
    decomposition JSON_TEXT NOT NULL,     -- its steps, each with its answer and passage
    task INTEGER REFERENCES tasks(number) ON DELETE SET NULL,  -- the import that brought it
    UNIQUE (collection_id, key)
);
CREATE INDEX questions_normal ON questions (collection_id, normal);
CREATE TABLE gold (                       -- the passages that hold what answers a question
    question_id INTEGER NOT NULL REFERENCES questions(id) ON DELETE CASCADE,
    position INTEGER NOT NULL,            -- from 0, in the data set's order
    key TEXT NOT NULL,                    -- the passage's key, kept where it does not exist
    grade INTEGER NOT NULL DEFAULT 1,     -- how relevant the passage is: 1, or more where a file of
                                          -- judgments says so
    PRIMARY KEY (question_id, position)
) WITHOUT ROWID;
CREATE TABLE tasks (                      -- runs of questions, and jobs in the background
    number INTEGER PRIMARY KEY AUTOINCREMENT,  -- by which other tables know it, never used again
    id TEXT UNIQUE,                       -- of a run or draft: what addresses and people call it
    kind TEXT NOT NULL,                   -- run, draft, import, extraction, vectors
    collection_id INTEGER REFERENCES collections(id) ON DELETE SET NULL,
    collection TEXT NOT NULL,             -- its name when the task was created
    set_id INTEGER REFERENCES triple_sets(id) ON DELETE SET NULL,
    triple_set TEXT,                      -- its name; NULL: the task uses none
    owner TEXT NOT NULL DEFAULT '',       -- who asked for it: the queue is fair among owners
    process TEXT NOT NULL DEFAULT '',     -- who works on it
    state TEXT NOT NULL,                  -- queued running done failed cancelled, of a run also
                                          -- interrupted, of a job paused
    message TEXT NOT NULL DEFAULT '',     -- progress, or why it failed or waits
    cancel INTEGER NOT NULL DEFAULT 0,    -- 1: somebody asked to stop
    created TEXT NOT NULL,                -- when it was asked for
    started REAL,                         -- when its process took it
    turn REAL NOT NULL DEFAULT 0,         -- when it was last taken: the longest wait goes first
    finished TEXT,                        -- when it ended
    request JSON_TEXT NOT NULL DEFAULT '{}',  -- what is to be done, but for the next columns
    question TEXT,                        -- of a run
    model TEXT NOT NULL DEFAULT '',       -- JSON: the server and model asked
    key_from TEXT NOT NULL DEFAULT '',    -- where the key is to be had; never the key
    budget INTEGER,                       -- tokens it may take; NULL: no limit
    calls INTEGER NOT NULL DEFAULT 0,     -- replies, kept ones included
    kept INTEGER NOT NULL DEFAULT 0,      -- of these, kept from before: free
    unusable INTEGER NOT NULL DEFAULT 0,  -- replies of no use, or not all
    input_tokens INTEGER NOT NULL DEFAULT 0,  -- of all calls
    output_tokens INTEGER NOT NULL DEFAULT 0,  -- of all calls
    cost REAL DEFAULT 0,                  -- dollars; NULL: some call's price is unknown
    taken INTEGER NOT NULL DEFAULT 0,     -- tokens of replies that were not kept from before: what
                                          -- a budget counts
    done INTEGER NOT NULL DEFAULT 0,      -- of a job: items that are done
    total INTEGER NOT NULL DEFAULT 0,     -- items to do
    failed INTEGER NOT NULL DEFAULT 0,    -- items that failed
    rate REAL NOT NULL DEFAULT 0,         -- items a second of work
    report TEXT NOT NULL DEFAULT '[]',    -- JSON: of an import, the result of each file
    undone BOOLEAN NOT NULL DEFAULT 0,    -- 1: what an import had stored was taken out again
    revision INTEGER NOT NULL DEFAULT 0,  -- of a run: the revision of the collection it saw
    corpus_hash TEXT NOT NULL DEFAULT '',  -- of the passages and triples it saw
    versions JSON_TEXT NOT NULL DEFAULT '{}',  -- code, models, prompts
    gold JSON_TEXT NOT NULL DEFAULT '[]',  -- passage keys known then, or marked later
    gold_marked TEXT,                     -- when it was marked, if later
    answers JSON_TEXT NOT NULL DEFAULT '[]',  -- the answers known when the run was created
    iterations INTEGER NOT NULL DEFAULT 0,  -- how many there were
    ms REAL,                              -- milliseconds it took
    loading_ms REAL,                      -- milliseconds of loading models, of encoding texts
    draft_of INTEGER REFERENCES tasks(number) ON DELETE CASCADE
        -- of a draft: the run that it is a rerun of, with a change
);
CREATE INDEX tasks_draft ON tasks (draft_of) WHERE draft_of IS NOT NULL;
CREATE INDEX tasks_state ON tasks (state, kind);
CREATE INDEX tasks_collection ON tasks (collection_id, kind, question);
CREATE INDEX tasks_owner ON tasks (owner, started);
CREATE INDEX tasks_set ON tasks (set_id);
CREATE TABLE revisions (                  -- those that a job made, to undo it
    collection_id INTEGER NOT NULL REFERENCES collections(id) ON DELETE CASCADE,
    revision INTEGER NOT NULL,            -- of the collection
    task INTEGER NOT NULL REFERENCES tasks(number) ON DELETE CASCADE,
    PRIMARY KEY (collection_id, revision)
) WITHOUT ROWID;
CREATE INDEX revisions_task ON revisions (task);
CREATE TABLE events (                     -- all that happened in a run
    run INTEGER NOT NULL REFERENCES tasks(number) ON DELETE CASCADE,
    position INTEGER NOT NULL,            -- from 1
    at_ms REAL NOT NULL,                  -- since the run began
    kind TEXT NOT NULL,                   -- the name of its class
    iteration INTEGER NOT NULL,           -- from 1; 0 before the first and after the last
    payload BLOB NOT NULL,                -- the event's row as JSON, zlib
    PRIMARY KEY (run, position)
);
CREATE TABLE run_facts (                  -- what is shown of a run, computed from its events once
    run INTEGER PRIMARY KEY REFERENCES tasks(number) ON DELETE CASCADE,
    version INTEGER NOT NULL,             -- of the function that computed it
    gold TEXT NOT NULL,                   -- the gold it was computed against
    facts JSON_TEXT NOT NULL              -- ranks of gold passages, why it stopped, scores
);
CREATE TABLE worker (                      -- what the worker does, while it has its lock
    number INTEGER PRIMARY KEY CHECK (number = 1),  -- there is one
    process TEXT NOT NULL,                -- its name
    state TEXT NOT NULL                   -- starting, ready or busy
);
CREATE TABLE model_replies (              -- so that asking the same again costs nothing
    key BLOB PRIMARY KEY,                 -- of server, model, prompt and settings
    server TEXT NOT NULL,                 -- its address
    model TEXT NOT NULL,                  -- as the server calls it
    role TEXT NOT NULL,                   -- what it was asked to do, as in read
    prompt_hash TEXT NOT NULL,            -- of the prompt's file
    reply TEXT NOT NULL,                  -- all that came back
    input_tokens INTEGER NOT NULL,        -- of the prompt
    output_tokens INTEGER NOT NULL,       -- of the reply
    estimated BOOLEAN NOT NULL,           -- 1: the server did not count the tokens
    cut BOOLEAN NOT NULL,                 -- 1: it ended at the limit of tokens
    ms REAL NOT NULL,                     -- milliseconds it took
    at TEXT NOT NULL                      -- when
);
CREATE TABLE prices (                     -- what models cost, as somebody wrote it down
    model TEXT PRIMARY KEY,               -- as its server calls it
    input REAL NOT NULL,                  -- dollars for a million tokens
    output REAL NOT NULL,                 -- likewise
    at TEXT NOT NULL                      -- when it was written down
) WITHOUT ROWID;
CREATE TABLE evaluations (                -- methods to be measured on questions
    number INTEGER PRIMARY KEY,           -- in the order they were made
    id TEXT NOT NULL UNIQUE,              -- what addresses and people call it
    collection_id INTEGER NOT NULL REFERENCES collections(id) ON DELETE CASCADE,
    definition JSON_TEXT NOT NULL,        -- questions, methods, cut-offs, triples, reader
    budget INTEGER,                       -- tokens its runs may take together; NULL: no limit
    reached TEXT NOT NULL DEFAULT '',     -- why no model is asked any more; empty: it may be
    owner TEXT NOT NULL,                  -- who asked for it
    created TEXT NOT NULL                 -- when
);
CREATE INDEX evaluations_collection ON evaluations (collection_id);
CREATE TABLE evaluation_runs (            -- the run of a question under a method
    evaluation_id TEXT NOT NULL REFERENCES evaluations(id) ON DELETE CASCADE,
    method TEXT NOT NULL,                 -- as the evaluation names it, with its settings
    question TEXT NOT NULL,               -- the question's id
    part INTEGER NOT NULL,                -- of several searches for a question, from 0
    run INTEGER NOT NULL REFERENCES tasks(number) ON DELETE CASCADE,
        -- which may be of several evaluations
    PRIMARY KEY (evaluation_id, method, question, part)
) WITHOUT ROWID;
CREATE INDEX evaluation_runs_run ON evaluation_runs (run);
CREATE TABLE run_files (                  -- TREC run files that people brought to evaluations
    number INTEGER PRIMARY KEY AUTOINCREMENT,  -- in the order they were brought
    evaluation_id TEXT NOT NULL REFERENCES evaluations(id) ON DELETE CASCADE,
    tag TEXT NOT NULL,                    -- what the file calls its run
    file TEXT NOT NULL,                   -- the file's name
    rankings JSON_TEXT NOT NULL,          -- by question, passage keys with scores
    UNIQUE (evaluation_id, tag)
);
CREATE TABLE labels (                     -- what people said of runs, one for each case and person
    number INTEGER PRIMARY KEY AUTOINCREMENT,  -- in the order they were saved, never used again
    collection_id INTEGER NOT NULL REFERENCES collections(id) ON DELETE CASCADE,
    case_id TEXT NOT NULL,                -- of question, method and settings: what was judged
    annotator TEXT NOT NULL,              -- who judged
    adjudicates INTEGER NOT NULL,         -- 1: a decision between the labels of others
    record TEXT NOT NULL,                 -- JSON: all of it (annotation/record.py)
    UNIQUE (collection_id, case_id, annotator, adjudicates)
);
CREATE TABLE categories (                 -- kinds of failures beside those of the papers
    key TEXT PRIMARY KEY,                 -- what labels name it by
    name TEXT NOT NULL,                   -- what people call it
    definition TEXT NOT NULL,             -- when to choose it
    author TEXT NOT NULL,                 -- who wrote it
    at TEXT NOT NULL                      -- when
);
CREATE TABLE edits (                      -- what people changed in triple sets, step by step
    number INTEGER PRIMARY KEY AUTOINCREMENT,  -- in the order they came, never used again
    set_id INTEGER NOT NULL REFERENCES triple_sets(id) ON DELETE CASCADE,
    kind TEXT NOT NULL,                   -- add, edit, delete, merge
    entities JSON_TEXT NOT NULL DEFAULT '[]',  -- the names that were merged, or deleted
    name TEXT NOT NULL DEFAULT '',        -- what merged entities are called from then on
    revision INTEGER NOT NULL,            -- of the collection, which it made
    author TEXT NOT NULL DEFAULT '',      -- who; '' = not told
    at TEXT NOT NULL,                     -- when
    undone BOOLEAN NOT NULL DEFAULT 0     -- 1: it was taken back
);
CREATE INDEX edits_set ON edits (set_id, revision);
"""
