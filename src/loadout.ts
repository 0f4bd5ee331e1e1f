import { type Machine, thisMachine } from './machine/machine.ts'
import { resolveAll } from './payloads/explain.ts'
import { type Layers, nameLayers } from './payloads/layers.ts'
import { type LoadRequest, loadChosen, loadPlan } from './payloads/load.ts'
import { type LookupRequest, lookUpPayload } from './payloads/lookup.ts'
import { planNoted, type TaskPlan } from './payloads/plan.ts'
import type { LoadPlan } from './payloads/rules/plan.ts'
import { alsoNaming, type Finding } from './text/trouble.ts'

export type Loadout = ReturnType<typeof createLoadout>

/**
 * The one door to every use case. Faces call these and nothing else. What an agent waits for is ready; the rest loads late.
 * What is not given comes from this process: its working folder, home, environment and clock.
 */
export function createLoadout(options: Partial<Machine> = {}) {
  // Not spread: a home or a working folder that does not exist is an error only for who needs it.
  const machine: Machine = Object.defineProperties(thisMachine(), Object.getOwnPropertyDescriptors(options))
  const reported: Finding[] = []
  machine.report ??= (finding) => void reported.push(finding)
  reports.set(machine, reported)
  return {
    nameLayers: bind(machine, nameLayers),
    plan: bind(machine, planNoted),
    loadPlan: bind(machine, loadPlan),
    load: (plan: LoadPlan | TaskPlan, request?: LoadRequest) =>
      withReported(machine, loadChosen(machine, plan, request)),
    // A payload is at hand; what is none is looked for among packs and skills.
    lookUp: async (request: LookupRequest) =>
      lookUpPayload(machine, request) ?? (await import('./kit/lookup.ts')).lookUpEntry(machine, request),
    explain: late(machine, async () => (await import('./kit/explain.ts')).explainNamed),
    resolve: (layers?: Layers) => bind(machine, resolveAll)(layers),
    search: late(machine, async () => (await import('./kit/search.ts')).searchAll),
    read: late(machine, async () => (await import('./kit/read.ts')).readEntry),
    teach: late(machine, async () => (await import('./kit/teach.ts')).teach),
    renewTeaching: late(machine, async () => (await import('./kit/teach.ts')).renewTeaching),
    exportTeaching: late(machine, async () => (await import('./kit/teach.ts')).exportTeaching),
    importTeaching: late(machine, async () => (await import('./kit/teach.ts')).importTeaching),
    nextTeaching: late(machine, async () => (await import('./kit/teach.ts')).nextTeaching),
    teachStatus: late(machine, async () => (await import('./kit/teach-status.ts')).teachStatus),
    evaluate: late(machine, async () => (await import('./kit/evaluate.ts')).evaluateEntries),
    evaluateHistory: late(machine, async () => (await import('./context/own-files.ts')).evaluateOwnHistory),
    compare: late(machine, async () => (await import('./payloads/evaluate.ts')).compareIndexes),
    validate: late(machine, async () => (await import('./kit/validate.ts')).validate),
    buildIndex: late(machine, async () => (await import('./payloads/index-build.ts')).rebuildIndex),
    checkIndex: late(machine, async () => (await import('./payloads/index-build.ts')).checkIndex),
    migrate: late(machine, async () => (await import('./payloads/index-migrate.ts')).migrateFile),
    usage: late(machine, async () => (await import('./usage/usage.ts')).summarizeLog),
    usageOverTime: late(machine, async () => (await import('./usage/look-back.ts')).usageOverTime),
    conversations: late(machine, async () => (await import('./usage/look-back.ts')).listConversations),
    conversation: late(machine, async () => (await import('./usage/look-back.ts')).showConversation),
    similar: late(machine, async () => (await import('./kit/similar.ts')).similarEntries),
    keepTasks: late(machine, async () => (await import('./usage/usage.ts')).switchTaskKeeping),
    exportUsage: late(machine, async () => (await import('./usage/export.ts')).exportUsage),
    eraseUsage: late(machine, async () => (await import('./usage/usage.ts')).eraseUsage),
    replayPrompts: late(machine, async () => (await import('./payloads/replay-prompts.ts')).replayPrompts),
    dead: late(machine, async () => (await import('./payloads/analysis.ts')).findDead),
    overlaps: late(machine, async () => (await import('./payloads/analysis.ts')).findOverlaps),
    budget: late(machine, async () => (await import('./payloads/analysis.ts')).reportBudget),
    initialize: late(machine, async () => (await import('./skills/init.ts')).initialize),
    inventory: late(machine, async () => (await import('./skills/inventory.ts')).takeInventory),
    inspect: late(machine, async () => (await import('./skills/inspect.ts')).inspectSkill),
    preview: late(machine, async () => (await import('./skills/inspect.ts')).previewSkill),
    equip: late(machine, async () => (await import('./skills/equip.ts')).equip),
    unequip: late(machine, async () => (await import('./skills/equip.ts')).unequip),
    listCandidates: late(machine, async () => (await import('./skills/candidates.ts')).listCandidates),
    importSkills: late(machine, async () => (await import('./skills/import.ts')).importSkills),
    adopt: late(machine, async () => (await import('./skills/adopt.ts')).adopt),
    outdated: late(machine, async () => (await import('./skills/outdated.ts')).findOutdated),
    update: late(machine, async () => (await import('./skills/update.ts')).updateSkills),
    pin: late(machine, async () => (await import('./skills/pin.ts')).pinSkills),
    readStanding: late(machine, async () => (await import('./skills/standing.ts')).readStanding),
    readListing: late(machine, async () => (await import('./skills/listing.ts')).readListing),
    showMerge: late(machine, async () => (await import('./skills/merges.ts')).showMerge),
    finishMerge: late(machine, async () => (await import('./skills/merges.ts')).finishMerge),
    changeTargets: late(machine, async () => (await import('./skills/targets.ts')).changeTargets),
    deleteSkill: late(machine, async () => (await import('./skills/delete.ts')).deleteSkill),
    deleteSkills: late(machine, async () => (await import('./skills/delete.ts')).deleteSkills),
    share: late(machine, async () => (await import('./skills/share.ts')).shareSkill),
    buildPlugin: late(machine, async () => (await import('./skills/build-plugin.ts')).buildPlugin),
    sync: late(machine, async () => (await import('./team/catalog.ts')).syncWithCatalog),
    doctor: late(machine, async () => (await import('./kit/doctor.ts')).runDoctor),
    startSkill: late(machine, async () => (await import('./skills/new-skill.ts')).startSkill),
    diff: late(machine, async () => (await import('./skills/diff.ts')).diffSkill),
    suggest: late(machine, async () => (await import('./skills/suggest.ts')).suggestSkills),
    listAgents: late(machine, async () => (await import('./agents/list-agents.ts')).listAgents),
    switchAgents: late(machine, async () => (await import('./agents/list-agents.ts')).switchAgents),
    saveProfile: late(machine, async () => (await import('./skills/profiles.ts')).saveProfile),
    applyProfile: late(machine, async () => (await import('./skills/profiles.ts')).applyProfile),
    listProfiles: late(machine, async () => (await import('./skills/profiles.ts')).listProfiles),
    showSettings: late(machine, async () => (await import('./skills/settings.ts')).showSettings),
    switchAction: late(machine, async () => (await import('./skills/settings.ts')).switchAction),
    setAgentFolder: late(machine, async () => (await import('./skills/settings.ts')).setAgentFolder),
    detectProject: late(machine, async () => (await import('./skills/settings.ts')).detectProject),
    restoreSkills: late(machine, async () => (await import('./skills/restore.ts')).restoreSkills),
    recallInventory: late(machine, async () => (await import('./skills/snapshot.ts')).recallInventory),
    buildContext: late(machine, async () => (await import('./context/context.ts')).buildContext),
    replay: late(machine, async () => (await import('./context/replay.ts')).replay),
    listRecords: late(machine, async () => (await import('./context/list-records.ts')).listRecords),
    pruneAudits: late(machine, async () => (await import('./context/prune-audits.ts')).pruneAudits),
    resolvePacks: late(machine, async () => (await import('./packs/resolve.ts')).resolvePacks),
    listPacks: late(machine, async () => (await import('./packs/list.ts')).listPacks),
    showPack: late(machine, async () => (await import('./packs/show.ts')).showPack),
    openGuide: late(machine, async () => (await import('./packs/show.ts')).openGuide),
    explainPack: late(machine, async () => (await import('./packs/why.ts')).explainPack),
    approve: late(machine, async () => (await import('./kit/approve.ts')).approve),
    deny: late(machine, async () => (await import('./kit/approve.ts')).deny),
    revoke: late(machine, async () => (await import('./kit/approve.ts')).revoke),
    validatePack: late(machine, async () => (await import('./packs/validate.ts')).validatePackAt),
    evaluatePack: late(machine, async () => (await import('./packs/eval.ts')).evaluatePack),
    startPack: late(machine, async () => (await import('./packs/new-pack.ts')).startPack),
    startPackFrom: late(machine, async () => (await import('./packs/new-from.ts')).startPackFrom),
    exportCompile: late(machine, async () => (await import('./packs/compile.ts')).exportCompile),
    importCompile: late(machine, async () => (await import('./packs/compile.ts')).importCompile),
    packStatus: late(machine, async () => (await import('./packs/compile-status.ts')).packStatus),
    declareExamples: late(machine, async () => (await import('./packs/declare-example.ts')).declareExamples),
    fetchPacks: late(machine, async () => (await import('./packs/fetch.ts')).fetchPacks),
    addNote: late(machine, async () => (await import('./context/notes.ts')).addNote),
    listNotes: late(machine, async () => (await import('./context/notes.ts')).listNotes),
    pruneNotes: late(machine, async () => (await import('./context/notes.ts')).pruneProjectNotes),
    listAdapters: late(machine, async () => (await import('./context/adapters.ts')).listAdapters),
    status: late(machine, async () => (await import('./kit/status.ts')).readStatus),
    see: late(machine, async () => (await import('./agents/see.ts')).seeAgent),
    planFix: late(machine, async () => (await import('./skills/fix-listing.ts')).planFix),
    applyFix: late(machine, async () => (await import('./skills/fix-listing.ts')).applyFix),
    listRules: late(machine, async () => (await import('./agents/update-rules.ts')).listRules),
    updateRules: late(machine, async () => (await import('./agents/update-rules.ts')).updateRules),
    writeAgentsMd: late(machine, async () => (await import('./kit/agents-md.ts')).writeAgentsMd),
    answerHook: late(machine, async () => (await import('./kit/session/hook.ts')).answerHook),
    planContext: late(machine, async () => (await import('./context/plan-context.ts')).planContext),
    listLoadable: late(machine, async () => (await import('./kit/loadable.ts')).listLoadable),
    listLibrarySkills: late(machine, async () => (await import('./skills/library-skills.ts')).listLibrarySkills),
    openLibrarySkill: late(machine, async () => (await import('./skills/library-skills.ts')).openLibrarySkill),
    readLibraryFile: late(machine, async () => (await import('./skills/library-skills.ts')).readLibraryFile),
    installHooks: late(machine, async () => (await import('./agents/hooks-change.ts')).installHooks),
    statusOfHooks: late(machine, async () => (await import('./kit/hooks-status.ts')).statusOfHooks),
    removeHooks: late(machine, async () => (await import('./agents/hooks-change.ts')).removeHooks),
    readStamps: late(machine, async () => (await import('./kit/watch.ts')).readStamps),
    joinTeam: late(machine, async () => (await import('./team/join.ts')).joinTeam),
    leaveTeam: late(machine, async () => (await import('./team/join.ts')).leaveTeam),
    hasTeam: late(machine, async () => (await import('./team/catalog.ts')).hasTeam),
    teamStatus: late(machine, async () => (await import('./team/status.ts')).teamStatus),
    pushUsage: late(machine, async () => (await import('./team/push.ts')).pushUsage),
    reportTeam: late(machine, async () => (await import('./team/report.ts')).reportTeam),
    inviteToTeam: late(machine, async () => (await import('./team/tokens.ts')).inviteToTeam),
    listTeamTokens: late(machine, async () => (await import('./team/tokens.ts')).listTeamTokens),
    revokeTeamToken: late(machine, async () => (await import('./team/tokens.ts')).revokeTeamToken),
    listTeamMachines: late(machine, async () => (await import('./team/tokens.ts')).listTeamMachines),
    publishVersion: late(machine, async () => (await import('./team/catalog.ts')).publishVersion),
    approveVersion: late(machine, async () => (await import('./team/catalog.ts')).approveVersion),
    retireVersion: late(machine, async () => (await import('./team/catalog.ts')).retireVersion),
    quarantineVersion: late(machine, async () => (await import('./team/catalog.ts')).quarantineVersion),
    searchCatalog: late(machine, async () => (await import('./team/catalog.ts')).searchCatalog),
    equipFromCatalog: late(machine, async () => (await import('./team/catalog.ts')).equipFromCatalog),
    serveTeam: late(machine, async () => (await import('./team/serve.ts')).serveTeam),
    migrateTeam: late(machine, async () => (await import('./team/serve.ts')).migrateTeam),
    recoverToken: late(machine, async () => (await import('./team/serve.ts')).recoverToken),
    trySample: late(machine, async () => (await import('./kit/try.ts')).showSample),
  }
}

const reports = new WeakMap<Machine, Finding[]>()

/** What the machine reported while a use case ran, added to its own findings, each once. */
function withReported<Result>(machine: Machine, result: Result): Result {
  const reported = reports.get(machine)?.splice(0) ?? []
  if (reported.length === 0 || typeof result !== 'object' || result === null || !('findings' in result)) return result
  const own: unknown = result.findings
  const findings = Array.isArray(own) ? [...own] : []
  for (const finding of reported) {
    if (!findings.some(({ message }) => message === finding.message)) findings.push(finding)
  }
  return { ...result, findings }
}

function withReportedError(machine: Machine, error: unknown): unknown {
  return alsoNaming(error, reports.get(machine)?.splice(0) ?? [])
}

type UseCase<Request, Result> = (machine: Machine, request: Request) => Result

function bind<Request, Result>(machine: Machine, run: UseCase<Request, Result>) {
  return (request: Request) => {
    const fail = (error: unknown): never => {
      throw withReportedError(machine, error)
    }
    try {
      const result = run(machine, request)
      return result instanceof Promise
        ? (result.then((awaited) => withReported(machine, awaited), fail) as Result)
        : withReported(machine, result)
    } catch (error) {
      return fail(error)
    }
  }
}

function late<Request, Result>(machine: Machine, load: () => Promise<UseCase<Request, Result>>) {
  return async (request: Request): Promise<Awaited<Result>> => {
    const run = await load()
    try {
      return withReported(machine, await run(machine, request))
    } catch (error) {
      throw withReportedError(machine, error)
    }
  }
}

export type { HookChanges } from './agents/hooks-change.ts'
export type { HookStatuses } from './agents/hooks-status.ts'
export type { AgentView } from './agents/list-agents.ts'
export type { AgentSight } from './agents/see.ts'
export type { KnownAgentRules, RulesUpdate } from './agents/update-rules.ts'
export type { AdapterList } from './context/adapters.ts'
export type { Context } from './context/context.ts'
export type { BundleRecord } from './context/list-records.ts'
export type { AddedNote, NoteList, NotePruning } from './context/notes.ts'
export type { PrunedAudits } from './context/prune-audits.ts'
export type { Replay } from './context/replay.ts'
export type { AgentsMd } from './kit/agents-md.ts'
export type { Answered } from './kit/approve.ts'
export type { NamedExplanation } from './kit/explain.ts'
export type { Loadable } from './kit/loadable.ts'
export type { EntryLookup, SkillCard } from './kit/lookup.ts'
export type { EntryText } from './kit/read.ts'
export type { Similar } from './kit/rules/similar.ts'
export type { MachineStatus } from './kit/rules/status.ts'
export type { FullSearchResult, SearchHit } from './kit/search.ts'
export type { HookAnswer } from './kit/session/hook.ts'
export type { TeachExport, Teaching } from './kit/teach.ts'
export type { TeachStatus } from './kit/teach-status.ts'
export type { SampleTour } from './kit/try.ts'
export type { Validation } from './kit/validate.ts'
export type { Stamps, Watched } from './kit/watch.ts'
export type { CompileTask } from './packs/compile.ts'
export type { PackCompileStatus } from './packs/compile-status.ts'
export type { DeclaredExamples } from './packs/declare-example.ts'
export type { PackEvaluation } from './packs/eval.ts'
export type { PackFetch } from './packs/fetch.ts'
export type { PackList } from './packs/list.ts'
export type { PackFromDocs } from './packs/new-from.ts'
export type { NewPack } from './packs/new-pack.ts'
export type { ResolveRequest } from './packs/resolve.ts'
export type { PackContext } from './packs/rules/resolve/pack-context.ts'
export type { PackView } from './packs/show.ts'
export type { PackValidation } from './packs/validate.ts'
export type { Compiled } from './packs/write-views.ts'
export type { BudgetReport } from './payloads/analysis.ts'
export type { Comparison, SuiteReport } from './payloads/evaluate.ts'
export type { Resolution } from './payloads/explain.ts'
export type { IndexBuild, IndexCheck } from './payloads/index-build.ts'
export type { MigrateResult } from './payloads/index-migrate.ts'
export type { LoadedPayload, LoadedPlan, LoadRequest, LoadResult } from './payloads/load.ts'
export type { Lookup } from './payloads/lookup.ts'
export type { TaskPlan } from './payloads/plan.ts'
export type { PromptReplay } from './payloads/replay-prompts.ts'
export type { DeadEntry, KeywordOverlap } from './payloads/rules/analysis.ts'
export { PHASES } from './payloads/rules/loadout-index.ts'
export type { HistoryEvaluation } from './project/evaluate-history.ts'
export { describeWhy, percent } from './search/document.ts'
export { STRATEGIES } from './search/strategy.ts'
export type { Adoption } from './skills/adopt.ts'
export type { BuiltPlugin } from './skills/build-plugin.ts'
export type { CandidateView } from './skills/candidates.ts'
export type { Deletion } from './skills/delete.ts'
export type { SkillDiff } from './skills/diff.ts'
export type { Check, Health } from './skills/doctor.ts'
export type { FixPlan } from './skills/fix-listing.ts'
export type { ImportResult, SkillOffer } from './skills/import.ts'
export type { InitResult } from './skills/init.ts'
export type { SkillPreview, SkillText } from './skills/inspect.ts'
export type { Inventory, PlacementView, SkillView } from './skills/inventory.ts'
export type { ListingRoom } from './skills/listing.ts'
export type { MergeResult, MergeView } from './skills/merges.ts'
export type { NewSkill } from './skills/new-skill.ts'
export type { Outcome } from './skills/observe.ts'
export type { SourceState } from './skills/outdated.ts'
export type { PinResult } from './skills/pin.ts'
export type { ProfileSaving, SavedProfile } from './skills/profiles.ts'
export type { LibraryStanding } from './skills/rules/standing.ts'
export type { SettingsView } from './skills/settings.ts'
export type { SharedSkill } from './skills/share.ts'
export type { Suggestions } from './skills/suggest.ts'
export type { SyncResult } from './skills/sync.ts'
export type { TargetsChange } from './skills/targets.ts'
export type { UpdateResult } from './skills/update.ts'
export type { CatalogRow, Published, Signed } from './team/catalog.ts'
export type { Joined, Left } from './team/join.ts'
export type { Push } from './team/push.ts'
export type { TeamReport } from './team/rules/report.ts'
export type { SchemaChange } from './team/serve.ts'
export type { TeamStatus } from './team/status.ts'
export type { Invitation, TeamMachine, TeamToken } from './team/tokens.ts'
export type { UsageExport } from './usage/export.ts'
export type { Conversations, UsageOverTime } from './usage/look-back.ts'
export type { ConversationView } from './usage/rules/conversation.ts'
export { entryId } from './usage/rules/entry-id.ts'
export type { EntryUsage } from './usage/rules/entry-usage.ts'
export type { Erasure, TaskKeeping } from './usage/usage.ts'
