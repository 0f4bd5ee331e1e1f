import { type LoadedPlan, PHASES, STRATEGIES, type TaskPlan } from '../../loadout.ts'
import type { MatchResult } from '../../payloads/rules/match.ts'
import { defineCommand, LAYER_FLAGS, readTask, TASK_ARGUMENT } from '../command.ts'
import { alignRows, count, grouped, lines, printableLine, type Screen } from '../screen.ts'

export const plan = defineCommand({
  name: 'plan',
  keepsPaths: true,
  summary: 'show which payloads a task loads, why, and their cost',
  details: 'With --load it prints the text of the chosen payloads, each fenced as data, and records the load.',
  args: [TASK_ARGUMENT],
  flags: {
    load: { kind: 'switch', summary: 'print the text of the payloads, ready for a model' },
    budget: { kind: 'number', value: 'tokens', summary: 'maximum cost of the plan; lists what does not fit' },
    strategy: {
      kind: 'choice',
      choices: STRATEGIES,
      summary: 'how to find entries (default: the project’s, else ranked)',
    },
    listsAll: { name: 'all', kind: 'switch', summary: 'also list every entry that is not loaded' },
    phase: { kind: 'choice', choices: PHASES, summary: 'only entries whose trigger for this phase is on' },
    ...LAYER_FLAGS,
  },
  run: ({ args, flags, readStdin }, loadout) => {
    const request = { ...flags, task: readTask({ args, readStdin }), layers: loadout.knowledge.nameLayers(flags) }
    return flags.load ? loadout.knowledge.loadPlan(request) : loadout.knowledge.plan(request)
  },
  print: (value: TaskPlan | LoadedPlan, screen) =>
    'contents' in value ? value.contents.map(({ text }) => text).join('') : printPlan(value, screen),
  toJson: planJson,
})

/** The chosen entries, and only the number of the others: a large index has thousands. */
function planJson(plan: TaskPlan | LoadedPlan): object {
  if (plan.listsAll) return plan
  const { task, strategy, preload, onDemand, leftOut, preloadTokens, onDemandTokens, sources, roots } = plan
  const { budget, layerNames, knownEntries, knownTokens, manualCount } = plan
  const chosen = new Set(Object.keys(sources))
  return {
    ...{ task, strategy, preload, onDemand, leftOut, preloadTokens, onDemandTokens, budget, layerNames, roots },
    ...{ knownEntries, knownTokens, manualCount, unmatchedCount: knownEntries - chosen.size - manualCount },
    provenance: sources,
    conflicts: plan.conflicts.filter(({ entryId }) => chosen.has(entryId)),
    conflictCount: plan.conflicts.length,
    contents: 'contents' in plan ? plan.contents : undefined,
  }
}

function printPlan(plan: TaskPlan, screen: Screen): string {
  const used = plan.preloadTokens + plan.onDemandTokens
  return lines(
    `Task: ${JSON.stringify(printableLine(shorten(plan.task)))}`,
    '',
    plan.knownEntries === 0
      ? plan.findings.length > 0
        ? '  No entries could be read: see below.'
        : '  There are no entries yet: no index was found. Start with: loadout rules build, or loadout try'
      : alignRows([...chosenRows(plan), ...restRows(plan)], [2]),
    '',
    plan.knownEntries > 0 &&
      `  ${screen.strong(`Loads ${grouped(used)} of ${grouped(plan.knownTokens)} known tokens.`)}`,
  )
}

function chosenRows(plan: TaskPlan): string[][] {
  // Half a reason per line, so that rows fit a screen.
  const rows = (label: string, { entry }: MatchResult, reason: string) => {
    const [first = '', ...others] = reason.split(' + ')
    const row = [`  ${label}`, entry.id, tokens(entry.tokens_est), plan.sources[entry.id] ?? '', first]
    return [row, ...others.map((other) => ['', '', '', '', `+ ${other}`])]
  }
  return [
    ...plan.preload.flatMap((match) => rows('load now', match, match.reason)),
    ...plan.onDemand.flatMap((match) => rows('load now', match, match.reason)),
    ...plan.leftOut.flatMap(({ match, reason }) => rows('left out', match, reason)),
  ]
}

function restRows(plan: TaskPlan): string[][] {
  const whyNot = plan.strategy === 'ranked' ? 'not among the best' : 'not in the task'
  // Above this, entries that a task does not need are counted instead of listed.
  if (plan.knownEntries > 30 && !plan.listsAll) {
    const chosen = plan.preload.length + plan.onDemand.length + plan.leftOut.length
    const unmatched = plan.knownEntries - chosen - plan.manualCount
    return [
      ['  left out', count(unmatched, 'entry', 'entries'), '', '', whyNot],
      ...(plan.manualCount > 0
        ? [['  on request', count(plan.manualCount, 'entry', 'entries'), '', '', 'manual']]
        : []),
    ]
  }
  return plan.manual.map(({ id, priority, tokens_est }) =>
    priority === 'manual'
      ? ['  on request', id, tokens(tokens_est), plan.provenance[id] ?? '', 'manual']
      : ['  left out', id, tokens(tokens_est), plan.provenance[id] ?? '', whyNot],
  )
}

function tokens(estimate: number): string {
  return `${grouped(estimate)} tok`
}

function shorten(task: string): string {
  return task.length > 160 ? `${task.slice(0, 159)}…` : task
}
