import type { Migration } from '../database.ts'

/**
 * The signed catalog, as one text. It replaces the statements and signatures of single versions, which stay readable
 * until an approver signs the whole.
 */
export const signedCatalog: Migration = {
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
