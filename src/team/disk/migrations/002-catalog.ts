import type { Migration } from '../database.ts'

/** Which versions may be installed, and who decided it. Programs of the first schema ignore it. */
export const catalog: Migration = {
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
