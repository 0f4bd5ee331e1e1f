import type { FunctionComponent } from 'preact'

/** One row per screen, in menu order. Each screen is a separate file that loads when it is opened. */
export interface ScreenRow {
  /** Empty for the first. */
  path: string
  name: string
  /** Drawn in a box of 16 by 16. */
  icon: string
  load(): Promise<{ default: FunctionComponent }>
}

export const SCREENS: readonly ScreenRow[] = [
  {
    path: '',
    name: 'Home',
    icon: 'M2 7.5 8 2l6 5.5M4 6.5V14h8V6.5',
    load: () => import('./screens/home.tsx'),
  },
  {
    path: 'conversations',
    name: 'Conversations',
    icon: 'M2 3h12v8H7l-3 3v-3H2Z',
    load: () => import('./screens/conversations.tsx'),
  },
  {
    path: 'skills',
    name: 'Skills',
    icon: 'M2 2h5v5H2Z M9 2h5v5H9Z M2 9h5v5H2Z M9 9h5v5H9Z',
    load: () => import('./screens/skills.tsx'),
  },
  {
    path: 'knowledge',
    name: 'Knowledge',
    icon: 'M3 2h8l2 2v10H3ZM5 6h6M5 9h6',
    load: () => import('./screens/knowledge.tsx'),
  },
  {
    path: 'task',
    name: 'Task',
    icon: 'M2 4h12M2 8h8M2 12h10',
    load: () => import('./screens/task.tsx'),
  },
]

/** Where what an earlier version showed under another address is now. */
export const MOVED: Readonly<Record<string, readonly [path: string, view?: string]>> = {
  home: [''],
  health: ['', 'checks'],
  agents: ['skills', 'lists'],
  usage: ['skills', 'usage'],
  overlaps: ['skills', 'overlaps'],
  sessions: ['conversations'],
  bundle: ['task'],
}
