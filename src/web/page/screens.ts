import type { FunctionComponent } from 'preact'

/** One row per screen, in menu order. Each screen is a separate file that loads when it is opened. */
export interface ScreenRow {
  path: string
  name: string
  /** Drawn in a box of 16 by 16. */
  icon: string
  load(): Promise<{ default: FunctionComponent }>
}

export const SCREENS: readonly ScreenRow[] = [
  {
    path: 'agents',
    name: 'Agents',
    icon: 'M2 4h12M2 8h8M2 12h10',
    load: () => import('./screens/agents.tsx'),
  },
  {
    path: 'bundle',
    name: 'Bundle',
    icon: 'M3 2h7l3 3v9H3Z M5.5 8h5 M5.5 11h3',
    load: () => import('./screens/bundle.tsx'),
  },
  {
    path: 'skills',
    name: 'Skills',
    icon: 'M2 2h5v5H2Z M9 2h5v5H9Z M2 9h5v5H2Z M9 9h5v5H9Z',
    load: () => import('./screens/skills.tsx'),
  },
  {
    path: 'usage',
    name: 'Usage',
    icon: 'M2 13h12M3 11l3-4 3 2 4-6',
    load: () => import('./screens/usage.tsx'),
  },
  {
    path: 'overlaps',
    name: 'Overlaps',
    icon: 'M6 3a4 4 0 1 0 0 8 4 4 0 0 0 0-8M10 5a4 4 0 1 0 0 8 4 4 0 0 0 0-8',
    load: () => import('./screens/overlaps.tsx'),
  },
  {
    path: 'knowledge',
    name: 'Packs and payloads',
    icon: 'M3 2h8l2 2v10H3ZM5 6h6M5 9h6',
    load: () => import('./screens/knowledge.tsx'),
  },
  {
    path: 'sessions',
    name: 'Sessions',
    icon: 'M2 3h12v8H7l-3 3v-3H2Z',
    load: () => import('./screens/sessions.tsx'),
  },
  {
    path: 'health',
    name: 'Health',
    icon: 'M1 8h3l2-5 3 10 2-5h4',
    load: () => import('./screens/health.tsx'),
  },
]
