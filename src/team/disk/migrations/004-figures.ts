import type { Migration } from '../database.ts'

/**
 * Figures that may be shown, and what must wait. The sums of days and months, which let a reader find out what one
 * person did, are no longer updated; a later version removes them. An older program would still show them, so none
 * works with this schema.
 */
export const figures: Migration = {
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
