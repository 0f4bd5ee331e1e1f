import type { Migration } from './database.ts'

/** Who may send, what was sent, its sums by day and by month, and the version that each machine has now. */
const usage: Migration = {
  version: 1,
  name: 'usage',
  oldest: 1,
  up: `
    CREATE TABLE team (
      is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
      id text NOT NULL,
      key_print text NOT NULL,
      created timestamptz NOT NULL DEFAULT now()
    );
    CREATE TABLE token (
      id text PRIMARY KEY,
      hash bytea NOT NULL UNIQUE,
      role text NOT NULL CHECK (role IN ('member', 'maintainer', 'admin')),
      group_name text NOT NULL,
      note text NOT NULL DEFAULT '',
      created timestamptz NOT NULL DEFAULT now(),
      created_by text,
      revoked timestamptz
    );
    CREATE TABLE machine (
      id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      name text NOT NULL UNIQUE,
      token text NOT NULL REFERENCES token,
      group_name text NOT NULL,
      joined timestamptz NOT NULL DEFAULT now(),
      -- Nothing that it sends happened before.
      since timestamptz NOT NULL DEFAULT now(),
      seen timestamptz NOT NULL DEFAULT now(),
      client text NOT NULL,
      last_sequence bigint NOT NULL DEFAULT 0,
      hours_off int NOT NULL DEFAULT 0,
      -- Batches that this database lost with a restored backup, and the machine no longer had.
      lost_batches bigint NOT NULL DEFAULT 0,
      separated_from int REFERENCES machine,
      left_at timestamptz
    );
    CREATE TABLE batch (
      machine int NOT NULL REFERENCES machine,
      sequence bigint NOT NULL,
      digest bytea NOT NULL,
      events int NOT NULL,
      received timestamptz NOT NULL DEFAULT now(),
      PRIMARY KEY (machine, sequence)
    );
    -- What was taken in and not yet counted.
    CREATE TABLE inbox (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      machine int NOT NULL,
      person text NOT NULL,
      hours_off int NOT NULL,
      received timestamptz NOT NULL DEFAULT now(),
      rows jsonb NOT NULL
    );
    CREATE TABLE person (
      id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      pseudonym text NOT NULL UNIQUE
    );
    CREATE TABLE label (
      id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      text text NOT NULL UNIQUE
    );
    -- Labels by their numbers; 0 where there is none. Stages by their place in the list of stages.
    CREATE TABLE event (
      hour timestamptz NOT NULL,
      machine int NOT NULL,
      person int NOT NULL,
      team_group int NOT NULL,
      entry int NOT NULL,
      version int NOT NULL,
      agent int NOT NULL,
      project int NOT NULL,
      stage smallint NOT NULL,
      times int NOT NULL,
      tokens bigint NOT NULL
    ) PARTITION BY RANGE (hour);
    -- Sums of the whole (team_group 0) and of each group, each by one facet: entries with their versions, agents, groups,
    -- projects. A report reads only the rows that it shows.
    CREATE TABLE usage_day (
      day date NOT NULL,
      team_group int NOT NULL,
      facet smallint NOT NULL,
      item int NOT NULL,
      version int NOT NULL,
      stage smallint NOT NULL,
      times bigint NOT NULL,
      tokens bigint NOT NULL,
      PRIMARY KEY (team_group, day, facet, item, version, stage)
    );
    -- Who was reached by an entry, and who was active in a group: one bit for each person, in chunks of 512.
    CREATE TABLE reach_day (
      day date NOT NULL,
      facet smallint NOT NULL,
      item int NOT NULL,
      version int NOT NULL,
      chunk int NOT NULL,
      people bit(512) NOT NULL,
      PRIMARY KEY (day, facet, item, version, chunk)
    );
    -- A year is read as twelve months. Their day is the first.
    CREATE TABLE usage_month (LIKE usage_day INCLUDING ALL);
    CREATE TABLE reach_month (LIKE reach_day INCLUDING ALL);
    CREATE TABLE holding (
      machine int NOT NULL,
      entry int NOT NULL,
      agent int NOT NULL,
      version int NOT NULL,
      since timestamptz NOT NULL,
      seen timestamptz NOT NULL,
      PRIMARY KEY (machine, entry, agent)
    );`,
  // Reverting the first schema would delete everything.
  down: undefined,
}

/** Which versions may be installed, and who decided it. Programs of the first schema ignore it. */
const catalog: Migration = {
  version: 2,
  name: 'catalog',
  oldest: 1,
  up: `
    CREATE TABLE catalog_version (
      kind text NOT NULL CHECK (kind IN ('skill', 'pack')),
      name text NOT NULL,
      version text NOT NULL,
      state text NOT NULL CHECK (state IN ('draft', 'approved', 'quarantined', 'retired')),
      owner text NOT NULL,
      commit_id text NOT NULL,
      digest text NOT NULL,
      groups text[] NOT NULL,
      published timestamptz NOT NULL DEFAULT now(),
      -- The bytes that were signed, and the signature: machines verify them, this database cannot make them.
      statement text,
      signature text,
      PRIMARY KEY (kind, name, version)
    );
    CREATE TABLE catalog_change (
      id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
      kind text NOT NULL,
      name text NOT NULL,
      version text NOT NULL,
      state text NOT NULL,
      token text NOT NULL,
      at timestamptz NOT NULL DEFAULT now()
    );`,
  down: `
    DROP TABLE catalog_change;
    DROP TABLE catalog_version;`,
}

/**
 * The signed catalog, as one text. It replaces the statements and signatures of single versions, which stay readable
 * until an approver signs the whole.
 */
const signedCatalog: Migration = {
  version: 3,
  name: 'signed catalog',
  oldest: 1,
  up: `
    CREATE TABLE catalog_snapshot (
      is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
      -- The bytes that were signed, and the signature: machines verify them, this database cannot make them.
      text text NOT NULL,
      signature text NOT NULL,
      digest text NOT NULL,
      taken timestamptz NOT NULL DEFAULT now()
    );`,
  down: 'DROP TABLE catalog_snapshot;',
}

/**
 * Figures that may be shown, and what must wait. The sums of days and months, which let a reader find out what one
 * person did, are no longer updated; a later version removes them. An older program would still show them, so none
 * works with this schema.
 */
const figures: Migration = {
  version: 4,
  name: 'figures',
  oldest: 4,
  up: `
    -- What no figure contains yet, because too few people stand behind it.
    CREATE TABLE pending (
      week date NOT NULL,
      entry int NOT NULL,
      stage smallint NOT NULL,
      team_group int NOT NULL,
      version int NOT NULL,
      agent int NOT NULL,
      project int NOT NULL,
      person int NOT NULL,
      times bigint NOT NULL,
      tokens bigint NOT NULL,
      PRIMARY KEY (week, entry, stage, team_group, version, agent, project, person)
    );
    -- By the Monday. Figures of a week are published in rounds.
    CREATE TABLE week (
      week date PRIMARY KEY,
      rounds int NOT NULL DEFAULT 0,
      has_news boolean NOT NULL DEFAULT true,
      is_over boolean NOT NULL DEFAULT false,
      published timestamptz
    );
    -- More than five people stand behind each row. Of the whole team (team_group 0) and of each group.
    CREATE TABLE figure (
      week date NOT NULL,
      round int NOT NULL,
      team_group int NOT NULL,
      facet smallint NOT NULL,
      item int NOT NULL,
      version int NOT NULL,
      stage smallint NOT NULL,
      times bigint NOT NULL,
      tokens bigint NOT NULL,
      people int NOT NULL,
      PRIMARY KEY (team_group, week, facet, item, version, stage, round)
    );
    INSERT INTO pending
      SELECT date_trunc('week', hour AT TIME ZONE 'UTC')::date, entry, stage, team_group, version, agent, project, person,
        sum(times), sum(tokens)
      FROM event GROUP BY 1, 2, 3, 4, 5, 6, 7, 8;
    INSERT INTO week (week) SELECT DISTINCT week FROM pending;
    -- A machine sends for one person.
    ALTER TABLE machine ADD COLUMN person text;
    -- The first batch of the list of installed skills that this batch completes.
    ALTER TABLE inbox ADD COLUMN sequence bigint NOT NULL DEFAULT 0, ADD COLUMN listed_since bigint;
    -- The batch that named it last.
    ALTER TABLE holding ADD COLUMN sequence bigint NOT NULL DEFAULT 0;`,
  down: `
    ALTER TABLE holding DROP COLUMN sequence;
    ALTER TABLE inbox DROP COLUMN sequence, DROP COLUMN listed_since;
    ALTER TABLE machine DROP COLUMN person;
    DROP TABLE figure;
    DROP TABLE week;
    DROP TABLE pending;`,
}

/**
 * Who did what, in a chain of hashes: an entry that is changed or taken out breaks it. It takes the place of
 * `catalog_change`, which is no longer written. Tokens that expire; and views for tools that read SQL.
 */
const audit: Migration = {
  version: 5,
  name: 'audit',
  oldest: 4,
  up: `
    CREATE TABLE audit (
      id bigint PRIMARY KEY,
      -- The bytes that were hashed, after the hash of the entry before.
      entry text NOT NULL,
      hash text NOT NULL
    );
    CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN RAISE EXCEPTION 'entries of the audit log are never changed'; END $$;
    CREATE TRIGGER audit_only_grows BEFORE UPDATE OR DELETE OR TRUNCATE ON audit
      FOR EACH STATEMENT EXECUTE FUNCTION refuse_change();
    -- How far the webhook was told, and when it may be called again.
    CREATE TABLE webhook (
      is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
      sent bigint NOT NULL,
      tries int NOT NULL DEFAULT 0,
      due timestamptz NOT NULL DEFAULT now()
    );
    -- A session is what a person who signs in at the page gets.
    ALTER TABLE token ADD COLUMN expires timestamptz, ADD COLUMN person text,
      ADD COLUMN is_session boolean NOT NULL DEFAULT false;

    -- For Grafana and other tools. More than five people stand behind each row of figures.
    CREATE VIEW view_usage AS
      SELECT f.week, e.text AS entry, (ARRAY['installed', 'planned', 'delivered', 'used'])[f.stage + 1] AS stage,
        CASE f.team_group WHEN 0 THEN 'whole team' ELSE coalesce(g.text, 'other groups') END AS team_group, sum(f.times) AS times, sum(f.tokens) AS tokens, max(f.people) AS people_at_least
      FROM figure f JOIN label e ON e.id = f.item LEFT JOIN label g ON g.id = f.team_group
      WHERE f.facet = 0 GROUP BY 1, 2, 3, 4;
    CREATE VIEW view_catalog AS
      SELECT kind, name, version, state, owner, groups, published FROM catalog_version;
    CREATE VIEW view_machines AS
      SELECT seen::date AS last_seen, client AS program, count(*) AS machines
      FROM machine WHERE left_at IS NULL GROUP BY 1, 2 HAVING count(*) > 5;
    CREATE VIEW view_audit AS
      SELECT id, (entry::jsonb ->> 'at')::timestamptz AS at, entry::jsonb ->> 'actor' AS actor,
        entry::jsonb ->> 'action' AS action, entry::jsonb -> 'about' AS about FROM audit;`,
  down: `
    DROP VIEW view_audit, view_machines, view_catalog, view_usage;
    DELETE FROM token WHERE is_session;
    ALTER TABLE token DROP COLUMN expires, DROP COLUMN person, DROP COLUMN is_session;
    DROP TABLE webhook;
    DROP TABLE audit;
    DROP FUNCTION refuse_change();`,
}

/** Changes of skills that machines propose. Equal ones are one row with several voices. */
const proposals: Migration = {
  version: 6,
  name: 'proposals',
  oldest: 4,
  up: `
    CREATE TABLE proposal (
      -- Of the name and the content: other content has another id.
      id text PRIMARY KEY,
      name text NOT NULL,
      base text NOT NULL,
      result text NOT NULL,
      patch text NOT NULL,
      state text NOT NULL DEFAULT 'open' CHECK (state IN ('open', 'adopted', 'declined')),
      made timestamptz NOT NULL DEFAULT now()
    );
    CREATE TABLE proposal_voice (
      proposal text NOT NULL REFERENCES proposal,
      token text NOT NULL REFERENCES token,
      note text NOT NULL,
      PRIMARY KEY (proposal, token)
    );`,
  down: `
    DROP TABLE proposal_voice;
    DROP TABLE proposal;`,
}

/** Every change of the schema, in order. A new one is added at the end; one that was released never changes. */
export const MIGRATIONS: readonly Migration[] = [usage, catalog, signedCatalog, figures, audit, proposals]
