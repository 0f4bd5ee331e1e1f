import type { Migration } from '../database.ts'

/** Who may send, what was sent, its sums by day and by month, and the version that each machine has now. */
export const usage: Migration = {
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
