import type { ComponentChildren, FunctionComponent } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { chosen } from '../address.ts'
import { Tabs } from '../parts/tabs.tsx'
import { AllSkills } from './skills/table.tsx'

/** The first is part of this screen; each other loads when it is opened. */
const VIEWS = [
  ['', 'All skills'],
  ['lists', 'What agents list'],
  ['usage', 'Usage'],
  ['overlaps', 'Overlaps'],
  ['merges', 'Merges'],
] as const

const LATE: Record<string, () => Promise<{ default: FunctionComponent<{ tabs: ComponentChildren }> }>> = {
  lists: () => import('./skills/lists.tsx'),
  usage: () => import('./skills/usage.tsx'),
  overlaps: () => import('./skills/overlaps.tsx'),
  merges: () => import('./skills/merges.tsx'),
}

export default function SkillsScreen() {
  const view = chosen('view')
  const [late, setLate] = useState<{ view: string; View: FunctionComponent<{ tabs: ComponentChildren }> }>()
  useEffect(() => {
    void LATE[view]?.().then(({ default: View }) => setLate({ view, View }))
  }, [view])
  const tabs = <Tabs label="Views of skills" views={VIEWS} />
  if (LATE[view] === undefined) return <AllSkills tabs={tabs} />
  return late?.view === view ? <late.View tabs={tabs} /> : null
}
