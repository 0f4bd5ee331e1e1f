import type { Migration } from '../database.ts'
import { usage } from './001-usage.ts'
import { catalog } from './002-catalog.ts'
import { signedCatalog } from './003-signed-catalog.ts'
import { figures } from './004-figures.ts'
import { audit } from './005-audit.ts'

/** Every change of the schema, in order. A new one is a file here; one that was released never changes. */
export const MIGRATIONS: readonly Migration[] = [usage, catalog, signedCatalog, figures, audit]
