import type { Migration } from '../database.ts'

/**
 * Who did what, in a chain of hashes: an entry that is changed or taken out breaks it. It takes the place of
 * `catalog_change`, which is no longer written. Tokens that expire; and views for tools that read SQL.
 */
export const audit: Migration = {
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
