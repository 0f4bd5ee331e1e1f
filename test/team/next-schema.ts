import type { Migration } from '../../src/team/disk/database.ts'
import { MIGRATIONS } from '../../src/team/disk/migrations.ts'

/** The schema after the newest. */
export const NEXT = (MIGRATIONS.at(-1)?.version ?? 0) + 1

/** A change that works with the previous version. */
export const added: Migration = {
  ...{ version: NEXT, name: 'adds', oldest: NEXT - 1 },
  up: 'ALTER TABLE event ADD COLUMN cost int NOT NULL DEFAULT 0; CREATE TABLE extra (id int)',
  down: 'ALTER TABLE event DROP COLUMN cost; DROP TABLE extra',
}

/** A change that does not. */
export const broken: Migration = {
  version: NEXT + 1,
  name: 'breaks',
  oldest: NEXT + 1,
  up: 'CREATE TABLE newer (id int)',
  down: 'DROP TABLE newer',
}
