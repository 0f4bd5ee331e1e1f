import { rmSync } from 'node:fs'
import { build } from 'esbuild'
import { benchContext } from './context.ts'
import { benchHook } from './hook.ts'
import { benchLayouts } from './layouts.ts'
import { benchMatch } from './match.ts'
import { benchMcp } from './mcp.ts'
import { benchPacksDiscovery } from './packs-discovery.ts'
import { benchPacksResolve } from './packs-resolve.ts'
import { benchPlan } from './plan.ts'
import { benchProject } from './project.ts'
import { benchRank } from './rank.ts'
import { benchReview } from './review.ts'
import { benchSanitize } from './sanitize.ts'
import { benchSkills } from './skills.ts'
import { benchStart } from './start.ts'
import { benchTui } from './tui.ts'
import { benchUsage } from './usage.ts'
import { benchWeb } from './web.ts'

const BENCHES: Record<string, () => void | Promise<void>> = {
  match: benchMatch,
  plan: benchPlan,
  start: benchStart,
  hook: benchHook,
  rank: benchRank,
  skills: benchSkills,
  layouts: benchLayouts,
  usage: benchUsage,
  packs: benchPacksDiscovery,
  resolve: benchPacksResolve,
  sanitize: benchSanitize,
  review: benchReview,
  context: benchContext,
  project: benchProject,
  tui: benchTui,
  mcp: benchMcp,
  web: benchWeb,
}

const bundle = 'bench/sample-index.bundle.js'
await build({ entryPoints: ['bench/sample-index.ts'], outfile: bundle, format: 'esm', bundle: true })
try {
  console.log(`Node ${process.version}, side by side with @mcptoolshop/ai-loadout 1.4.3`)
  const wanted = process.argv.slice(2)
  for (const [name, bench] of Object.entries(BENCHES)) {
    if (wanted.length === 0 || wanted.includes(name)) await bench()
  }
} finally {
  rmSync(bundle, { force: true })
}
