import type { HttpApp } from '../machine/http.ts'
import type { PageServer } from './page-server.ts'
import { addAgents } from './routes/agents.ts'
import { addBundle } from './routes/bundle.ts'
import { addHealth } from './routes/health.ts'
import { addKnowledge } from './routes/knowledge.ts'
import { addOverlaps } from './routes/overlaps.ts'
import { addSessions } from './routes/sessions.ts'
import { addSkills } from './routes/skills.ts'
import { addUsage } from './routes/usage.ts'

declare const LOADOUT_VERSION: string | undefined

/** One row per screen: its questions and changes. */
const SCREENS: readonly ((app: HttpApp, server: PageServer) => void)[] = [
  addAgents,
  addBundle,
  addSkills,
  addHealth,
  addUsage,
  addOverlaps,
  addKnowledge,
  addSessions,
]

export function addRoutes(app: HttpApp, server: PageServer): void {
  const version = typeof LOADOUT_VERSION === 'string' ? LOADOUT_VERSION : 'development'
  app.get('/api/place', async (context) => {
    const loadout = server.open()
    const [{ home }, team] = await Promise.all([loadout.detectProject({}), loadout.teamAddress({})])
    return context.json({ version, home, project: server.project, team, findings: [] })
  })
  for (const add of SCREENS) add(app, server)
}
