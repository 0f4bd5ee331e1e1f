import { isFolder } from './machine/files.ts'
import { localMachine, type Machine, type Surroundings } from './machine/machine.ts'
import { resolveAll } from './payloads/explain.ts'
import { type Layers, nameLayers } from './payloads/knowledge.ts'
import { type LoadRequest, loadChosen, loadPlan, planAndRecord, type TaskPlan } from './payloads/plan.ts'
import type { LoadPlan } from './payloads/rules/plan.ts'
import { failWith, type Report } from './text/trouble.ts'

export type Loadout = ReturnType<typeof createLoadout>

/**
 * The table of use cases, and the only entry to them: the command line, the page, the MCP server and other programs call
 * these. A row names a use case in its own file. Those that an agent waits for are loaded at once, the others on first
 * use. Options default to the working folder, home, environment and clock of this process. Without `persist` only what a
 * call is for is written below the home folder: installs, approvals, settings, notes.
 */
export function createLoadout(options: Partial<Surroundings> = {}) {
  const machine: Machine = Object.defineProperties(localMachine(), {
    ...Object.getOwnPropertyDescriptors(options),
    persist: { value: options.persist ?? false },
  })
  const { cwd } = options
  if (cwd !== undefined) {
    const get = () => {
      // As when a command starts in a folder that is gone: not the same as a folder without knowledge.
      if (isFolder(cwd)) return cwd
      throw failWith('NOT_A_FOLDER/cwd', { cwd })
    }
    Object.defineProperty(machine, 'cwd', { get })
  }

  /** A use case of an agent that waits: loaded with the door. */
  function bind<Request, Result>(run: UseCase<Request, Promise<Result>>) {
    return (request: Request): Promise<Report<Result>> => machine.collect((listening) => run(listening, request))
  }

  function late<Request, Result>(load: () => Promise<UseCase<Request, Result>>) {
    return async (request: Request): Promise<Report<Awaited<Result>>> => {
      const run = await load()
      return machine.collect(async (listening): Promise<Awaited<Result>> => await run(listening, request))
    }
  }

  /** Loads a use case that reports nothing: its answer is all. */
  function plain<Request, Result>(load: () => Promise<UseCase<Request, Result>>) {
    return async (request: Request): Promise<Awaited<Result>> => (await late(load)(request)).value
  }

  /** A use case that changes installs or packs asks the team's catalog first, if this machine has joined a team. */
  function changes<Request extends object, Value>(
    load: () => Promise<UseCase<Request, Promise<Value>>>,
    isChange?: (request: Request) => boolean,
  ) {
    return late(async () => (await import('./team/catalog.ts')).withCatalog(await load(), isChange))
  }

  return {
    /**
     * What a task needs, and why.
     * @example
     * const { value } = await loadout.context.build({ task: 'cut a release', maxTokens: 4000 })
     * console.log(value.renderings.markdown)
     */
    context: {
      /** Builds the bundle for a task: what the project, its payloads, packs and notes say about it, within a budget. */
      build: late(async () => forTask((await import('./answer/answer.ts')).buildContext)),
      /** Lists what a bundle would contain, without the texts. */
      plan: late(async () => forTask((await import('./answer/answer.ts')).planContext)),
      /** Names places within about a second, while a large project has no index yet; empty when it has one. */
      lookAtOnce: late(async () => (await import('./answer/answer.ts')).lookAtOnce),
      /** Searches payloads, packs, skills and the project's own files. */
      search: late(async () => (await import('./answer/search.ts')).searchAll),
      /** Reads one entry as text, fenced as data, and records the use. */
      read: late(async () => (await import('./answer/read.ts')).readEntry),
      /** Finds a payload, pack or skill by its id. Payloads come first. */
      lookUp: late(async () => (await import('./answer/read.ts')).lookUpEntry),
      /** Says why a payload, pack, skill or adapter is used for a task, or why not. */
      explain: late(async () => (await import('./answer/explain.ts')).explainNamed),
      /** Lists everything that can be read by its id. */
      listLoadable: late(async () => (await import('./answer/sources.ts')).listLoadable),
      /** Builds a recorded bundle again, byte for byte, or names what changed. */
      replay: late(async () => (await import('./answer/answer.ts')).replay),
      /** Lists the recorded bundles, newest first. */
      listRecords: late(async () => (await import('./answer/record.ts')).listRecords),
      /** Removes old records of bundles and packs. */
      pruneRecords: late(async () => (await import('./machine/audits.ts')).pruneAudits),
      /** Writes, checks or removes the index in `AGENTS.md`. */
      writeAgentsMd: late(async () => (await import('./answer/agents-md.ts')).writeAgentsMd),
      /** Answers one event of an agent's hook. */
      answerHook: plain(async () => (await import('./answer/session/hook.ts')).answerHook),
      /** Builds a bundle on sample data in a temporary folder. */
      try: late(async () => (await import('./answer/try.ts')).showSample),
    },
    /**
     * The library of skills, and the copies of it that agents have.
     * @example
     * await loadout.skills.initialize({ create: 'my-skills' })
     * await loadout.skills.start({ name: 'release-notes', description: 'Drafts release notes. Use when a release is cut.' })
     * const { value } = await loadout.skills.inventory({})
     * console.log(value.skills.map(({ name }) => name))
     */
    skills: {
      /** Connects this machine with a library of skills: a new one, a clone, or a folder. */
      initialize: late(async () => (await import('./skills/init.ts')).initialize),
      /** Shows which agent has which skill, and in which state. */
      inventory: late(async () => (await import('./skills/inventory.ts')).takeInventory),
      /** Returns the last inventory immediately, while a new one is read. */
      recallInventory: plain(async () => (await import('./skills/inventory.ts')).recallInventory),
      /** Shows one skill: its text, source, review and installs. */
      inspect: late(async () => (await import('./skills/inspect.ts')).inspectSkill),
      /** Shows the text of a skill that is not in the library yet. */
      preview: late(async () => (await import('./skills/inspect.ts')).previewSkill),
      /** Shows how an installed copy differs from the library. */
      diff: late(async () => (await import('./skills/inspect.ts')).diffSkill),
      /** Names the skills that fit a task. */
      suggest: late(async () => forTask((await import('./skills/library-skills.ts')).suggestSkills)),
      /** Installs skills for agents. */
      equip: changes(async () => (await import('./team/catalog.ts')).equipListed),
      /** Removes installed skills. */
      unequip: late(async () => (await import('./skills/equip.ts')).unequip),
      /** Gives back what Loadout took over, and takes its settings out of the agents. */
      leave: late(async () => (await import('./skills/leave.ts')).leave),
      /** Creates a skill in the library. */
      start: late(async () => (await import('./skills/library-edits.ts')).startSkill),
      /** Deletes a skill from the library. */
      delete: late(async () => (await import('./skills/library-edits.ts')).deleteSkill),
      /** Deletes several skills from the library in one commit. */
      deleteAll: late(async () => (await import('./skills/library-edits.ts')).deleteSkills),
      /** Restores deleted skills. */
      restore: late(async () => (await import('./skills/library-edits.ts')).restoreSkills),
      /** Lists the skills of the library with their files. */
      list: late(async () => (await import('./skills/library-skills.ts')).listLibrarySkills),
      /** Returns the text of a skill of the library. */
      open: late(async () => (await import('./skills/library-skills.ts')).openLibrarySkill),
      /** Reads one file of a skill of the library. */
      readFile: late(async () => (await import('./skills/library-skills.ts')).readLibraryFile),
      /** Lists skills in the folders of agents that the library does not have. */
      listCandidates: late(async () => (await import('./skills/candidates.ts')).listCandidates),
      /** Lists plugins, marketplaces and folders of other programs on this machine whose skills can be imported. */
      listPlugins: plain(async () => (await import('./skills/candidates.ts')).listPlugins),
      /** Imports skills from folders, archives, repositories and agents' folders, in one commit. */
      import: changes(
        async () => (await import('./skills/import.ts')).importSkills,
        ({ adopt, list }) => adopt === true && !list,
      ),
      /** Brings an edit of an installed copy into the library and all other copies. */
      adopt: changes(async () => (await import('./skills/adopt.ts')).adopt),
      /** Asks the sources of imported skills for newer versions. */
      outdated: late(async () => (await import('./skills/update.ts')).findOutdated),
      /** Takes newer versions, merged with your changes, in one commit. */
      update: changes(async () => (await import('./skills/update.ts')).updateSkills),
      /** Pins a skill to its version, or unpins it. */
      pin: late(async () => (await import('./skills/update.ts')).pinSkills),
      /** Changes which agents a skill is for. */
      changeTargets: late(async () => (await import('./skills/library-edits.ts')).changeTargets),
      /** Writes the SKILL.md of a skill, in one commit, and refreshes its copies. */
      edit: changes(async () => (await import('./skills/library-edits.ts')).editSkill),
      /** Undoes a commit of the library, as a new commit. */
      undo: changes(async () => (await import('./skills/library-edits.ts')).undoCommit),
      /** Compares the library with its remote. */
      readStanding: late(async () => (await import('./skills/sync.ts')).readStanding),
      /** Says how much room each agent's list of skills has, and how much is used. */
      readListing: late(async () => (await import('./skills/equip.ts')).readListing),
      /** Fast-forwards the library, refreshes installed copies, and obeys the catalog of a team. */
      sync: changes(async () => (await import('./skills/sync.ts')).sync),
      /** Shows a merge that waits for you, with both texts. */
      showMerge: late(async () => (await import('./skills/adopt.ts')).showMerge),
      /** Finishes or gives up a merge that waits for you. */
      finishMerge: changes(
        async () => (await import('./skills/adopt.ts')).finishMerge,
        (request) => request.continue === true,
      ),
      /** Installs what the lock of a project pins, after locking what its manifest asks for in addition. */
      installProject: late(async () => (await import('./skills/project.ts')).installProject),
      /** Adds skills, packs and rules to the manifest of a project, locks and installs them. */
      addToProject: late(async () => (await import('./skills/project-add.ts')).addToProject),
      /** Moves the lock of a project to newer versions, and shows what changes. */
      updateProject: late(async () => (await import('./skills/project.ts')).updateProject),
      /** Takes skills, packs and rules out of the manifest of a project, with what only they needed. */
      removeFromProject: late(async () => (await import('./skills/project.ts')).removeFromProject),
      /** Writes the lock of a project as a file of another manager. */
      exportManifest: late(async () => (await import('./skills/project-add.ts')).exportManifest),
      /** Whether a project has a manifest. */
      hasManifest: plain(async () => (await import('./skills/project.ts')).hasManifest),
      /** Saves which agent has which skill under a name. */
      saveProfile: late(async () => (await import('./skills/profiles.ts')).saveProfile),
      /** Installs what a profile names; can also remove what it does not name. */
      applyProfile: changes(async () => (await import('./skills/profiles.ts')).applyProfile),
      /** Runs an agent's program with the skills of a profile, in one session only. */
      startSession: late(async () => (await import('./skills/session.ts')).startSession),
      /** Lists the profiles of the library and of this machine. */
      listProfiles: late(async () => (await import('./skills/profiles.ts')).listProfiles),
      /** Restores the agents and skills that the library says a machine has. */
      restoreLibrary: changes(async () => (await import('./skills/profiles.ts')).restoreLibrary),
      /** Writes a skill as an archive. The same skill gives the same bytes. */
      share: late(async () => (await import('./skills/share.ts')).shareSkill),
      /** Writes a plugin of skills, hooks and the MCP server for agents that install plugins. */
      buildPlugin: late(async () => (await import('./skills/share.ts')).buildPlugin),
      /** Trusts the publisher of skills for what they can do now, takes that back, or lists who is trusted. */
      trust: late(async () => (await import('./skills/gate.ts')).trust),
    },
    /**
     * Rules, packs and notes: which of them a task needs, how well they are found, and how often they were used.
     * @example
     * await loadout.knowledge.startPack({ name: 'refunds', description: 'How refunds work. Use for questions about refunds.' })
     * await loadout.agents.approve({ what: ['pack:refunds'] })
     * const task = 'how does a refund work'
     * const { value } = await loadout.knowledge.resolvePacks({ task, packs: ['refunds'], confirmed: ['refunds'] })
     * console.log(value.tokenEstimate, value.missing)
     *
     * const { value: plan } = await loadout.knowledge.plan({ task }) // which rules, and why
     * console.log(loadout.knowledge.load(plan, { budget: 4000 }).contents)
     */
    knowledge: {
      /** Returns the index files of a call: the named ones, or those of the project, the user and the session. */
      nameLayers: (named: Parameters<typeof nameLayers>[1]) => nameLayers(machine, named),
      /** Chooses the payloads that a task needs, with the reason and the cost of each. Logs the plan as usage. */
      plan: bind(forTask(planAndRecord)),
      /** Plans like `plan` and reads the chosen texts, within a budget, fenced as data. */
      loadPlan: bind(forTask(loadPlan)),
      /** Reads the texts of a plan that you have already. */
      load: (plan: LoadPlan | TaskPlan, request?: LoadRequest) => loadChosen(machine, plan, request),
      /** Merges the layers of payloads and says which layer each entry comes from. */
      resolve: (layers?: Layers) => machine.collect((listening) => resolveAll(listening, layers)),
      /** Lists payloads that no task loads. */
      dead: late(async () => (await import('./payloads/analysis.ts')).findDead),
      /** Lists payloads that share keywords. */
      overlaps: late(async () => (await import('./payloads/analysis.ts')).findOverlaps),
      /** Returns the cost of the payloads: always, on demand, and for one task. */
      budget: late(async () => (await import('./payloads/analysis.ts')).reportBudget),
      /** Writes the index of a folder of payloads. */
      buildIndex: late(async () => (await import('./payloads/index-build.ts')).rebuildIndex),
      /** Says whether an index still equals its payloads. For CI. */
      checkIndex: late(async () => (await import('./payloads/index-build.ts')).checkIndex),
      /** Splits a large instruction file into payloads. */
      migrate: late(async () => (await import('./payloads/index-migrate.ts')).migrateFile),
      /** Adds a note that expires by itself. */
      addNote: late(async () => (await import('./answer/notes.ts')).addNote),
      /** Lists the notes of a project. */
      listNotes: late(async () => (await import('./answer/notes.ts')).listNotes),
      /** Removes expired notes. */
      pruneNotes: late(async () => (await import('./answer/notes.ts')).pruneProjectNotes),
      /** Lists the adapters of a project, and whether they may run. */
      listAdapters: late(async () => (await import('./answer/adapters.ts')).listAdapters),
      /** Returns the parts of knowledge packs that answer a task, with sources, warnings and gaps. */
      resolvePacks: late(async () => forTask((await import('./answer/packs.ts')).answerFromPacks)),
      /** Lists the packs, and why some are not used. */
      listPacks: late(async () => (await import('./packs/show.ts')).listPacks),
      /** Shows one pack. */
      showPack: late(async () => (await import('./packs/show.ts')).showPack),
      /** Returns the guide of a pack: what it contains and how to ask it. */
      openGuide: late(async () => (await import('./packs/read.ts')).openGuide),
      /** Says why a pack is used for a task, or why not. */
      explainPack: late(async () => (await import('./packs/show.ts')).explainPack),
      /** Checks a pack. */
      validatePack: late(async () => (await import('./packs/validate.ts')).validatePackAt),
      /** Asks the test prompts of a pack whether they choose it. */
      evaluatePack: late(async () => (await import('./lab/eval-pack.ts')).evaluatePack),
      /** Creates an empty pack. */
      startPack: late(async () => (await import('./packs/new-pack.ts')).startPack),
      /** Creates a pack from existing documents. */
      startPackFrom: late(async () => (await import('./packs/new-pack.ts')).startPackFrom),
      /** Writes a pack as a bundle of the Open Knowledge Format. */
      exportPack: late(async () => (await import('./packs/export.ts')).exportPack),
      /** Writes a task for an agent: the short views of a pack. */
      exportCompile: late(async () => (await import('./packs/compile.ts')).exportCompile),
      /** Takes the views that an agent wrote, after checking them against their sources. */
      importCompile: late(async () => (await import('./packs/compile.ts')).importCompile),
      /** Names the views of a pack whose inputs changed. */
      packStatus: late(async () => (await import('./packs/compile.ts')).packStatus),
      /** Declares that a line of a pack only looks like a secret. */
      declareExamples: late(async () => (await import('./packs/validate.ts')).declareExamples),
      /** Fetches the packs of an organization, and what its catalog says about packs. */
      fetchPacks: changes(async () => (await import('./packs/catalog.ts')).fetchPacks),
      /** Adds example prompts to skills, packs and payloads. */
      teach: late(async () => (await import('./lab/teach.ts')).teach),
      /** Marks the examples of entries as checked against their present text. */
      renewTeaching: late(async () => (await import('./lab/teach.ts')).renewTeaching),
      /** Writes a task for an agent: which entries need example prompts, and what they say. */
      exportTeaching: late(async () => (await import('./lab/teach.ts')).exportTeaching),
      /** Takes the example prompts that an agent wrote for such a task. */
      importTeaching: late(async () => (await import('./lab/teach.ts')).importTeaching),
      /** Returns the next entries that need example prompts. */
      nextTeaching: late(async () => (await import('./lab/teach.ts')).nextTeaching),
      /** Counts the examples of each entry, and names those that are missing or out of date. */
      teachStatus: late(async () => (await import('./lab/teachable.ts')).teachStatus),
      /** Measures how well entries are found, by their own examples and by test files. */
      evaluate: late(async () => (await import('./lab/eval.ts')).evaluateEntries),
      /** Says what a test of skills with the user's agents would run, and what that would cost. */
      planTest: late(async () => (await import('./lab/prove.ts')).planTest),
      /** Runs prompts with the user's own agents: does a skill fire, and does it help? */
      runTest: late(async () => (await import('./lab/prove.ts')).runTest),
      /** Returns what tests with agents found, by skill, agent and version, and what no longer works. */
      testResults: late(async () => (await import('./skills/tested-skills.ts')).testResults),
      /** Says without a model which skills can fire for their prompts, and what competes with them. */
      testOffline: late(async () => (await import('./lab/offline.ts')).testOffline),
      /** Asks the user's agent for a better description of a skill, and runs the same prompts with it. */
      proposeDescription: late(async () => (await import('./lab/improve.ts')).proposeDescription),
      /** Gives a skill a new description. */
      keepDescription: late(async () => (await import('./skills/tested-skills.ts')).keepDescription),
      /** Adds prompts to the tests beside a skill. */
      addCases: late(async () => (await import('./skills/tested-skills.ts')).addCases),
      /** Measures the choice of project files on the project's own last commits. */
      evaluateHistory: late(async () => (await import('./lab/eval-history.ts')).evaluateHistory),
      /** Compares two indexes on the same questions. */
      compare: late(async () => (await import('./lab/eval.ts')).compareIndexes),
      /** Finds entries that answer the same questions. */
      similar: late(async () => (await import('./lab/offline.ts')).similarEntries),
      /** Plans kept tasks again and lists those that choose other rules now. */
      comparePast: late(async () => (await import('./lab/past-tasks.ts')).comparePast),
      /** Gives a rule another priority, after asking the last kept tasks again. */
      tuneRule: late(async () => (await import('./lab/tune.ts')).tuneRule),
      /** Summarises the usage log: planned, delivered and used entries. */
      usage: late(async () => (await import('./usage/usage.ts')).summarizeLog),
      /** Sums up the usage log by day or week, entry and agent. */
      usageOverTime: late(async () => (await import('./usage/look-back.ts')).usageOverTime),
      /** Lists the conversations of the usage log. */
      conversations: late(async () => (await import('./usage/look-back.ts')).listConversations),
      /** Shows what one conversation received at each turn, made again from its sources, and what its agent's file says. */
      conversation: late(async () => (await import('./answer/session/recall.ts')).recallConversation),
      /** Turns keeping the words of tasks on or off. */
      keepTasks: late(async () => (await import('./usage/usage.ts')).switchTaskKeeping),
      /** Shows what this machine's settings say about the log, transcripts and prices. */
      usageSettings: late(async () => (await import('./usage/usage-settings.ts')).showUsageSettings),
      /** Changes them. */
      changeUsageSettings: late(async () => (await import('./usage/usage-settings.ts')).changeUsageSettings),
      /** Sends sums of the usage log to an OpenTelemetry collector. */
      exportUsage: late(async () => (await import('./usage/export.ts')).exportUsage),
      /** Erases the usage log, or only events before a day. */
      eraseUsage: late(async () => (await import('./usage/usage.ts')).eraseUsage),
    },
    /**
     * The agents on this machine: what they see, their hooks and settings, and what may act.
     * @example
     * const { value } = await loadout.agents.status({})
     * console.log(value.agents)
     */
    agents: {
      /** Lists the agents that Loadout knows, and which are enabled. */
      list: late(async () => (await import('./agents/config.ts')).listAgents),
      /** Enables or disables agents. */
      switch: late(async () => (await import('./agents/config.ts')).switchAgents),
      /** Sets the folder of an agent. */
      setFolder: late(async () => (await import('./agents/config.ts')).setAgentFolder),
      /** Shows the settings of this machine. */
      showSettings: late(async () => (await import('./agents/config.ts')).showSettings),
      /** Turns one of the actions that Loadout does in the library's repository on or off. */
      switchAction: late(async () => (await import('./agents/config.ts')).switchAction),
      /** Finds the project around the working folder. */
      detectProject: plain(async () => (await import('./agents/config.ts')).detectProject),
      /** Shows which skills one agent lists, cuts, drops or hides, and why. */
      see: late(async () => (await import('./agents/see.ts')).seeAgent),
      /** Lists the known rules of agents, by version. */
      listRules: late(async () => (await import('./agents/see.ts')).listRules),
      /** Runs an agent's own program in a copy of what it reads, and compares what it sends to its model with `see`. */
      verify: late(async () => (await import('./agents/verify.ts')).verifyAgent),
      /** Plans the settings of agents after which every skill can be used. */
      planFix: late(async () => (await import('./skills/fix-list.ts')).planFix),
      /** Applies such plans. */
      applyFix: late(async () => (await import('./skills/fix-list.ts')).applyFix),
      /** Undoes what such plans wrote into the settings of agents. */
      undoFix: late(async () => (await import('./skills/fix-list.ts')).undoFix),
      /** Installs hooks in the settings of agents. */
      installHooks: late(async () => (await import('./answer/connect.ts')).installHooks),
      /** Says whether hooks are installed and can run. */
      statusOfHooks: late(async () => (await import('./health/status.ts')).statusOfHooks),
      /** Removes exactly these hooks. */
      removeHooks: late(async () => (await import('./answer/connect.ts')).removeHooks),
      /** Summarises this machine: what each agent sees, the cost of a session, the state of the library, what to do next. */
      status: late(async () => (await import('./health/status.ts')).readStatus),
      /** Checks the whole installation and says what to do; repairs what it can when asked. */
      doctor: late(async () => (await import('./health/doctor.ts')).runDoctor),
      /** Checks an index, a skill, a library, a pack or `loadout.json`. */
      validate: late(async () => (await import('./health/validate.ts')).validate),
      /** Says when the usage log and the library last changed. */
      readStamps: late(async () => (await import('./health/watch.ts')).readStamps),
      /** Returns the last answer to a question of the page, while a new one is made. */
      recallAnswer: plain(async () => (await import('./health/last-answer.ts')).recallAnswer),
      /** Keeps such an answer. */
      keepAnswer: plain(async () => (await import('./health/last-answer.ts')).keepAnswer),
      /** Approves a pack, an adapter or an imported skill. */
      approve: late(async () => (await import('./answer/approve.ts')).approve),
      /** Denies a pack, an adapter or an imported skill. */
      deny: late(async () => (await import('./answer/approve.ts')).deny),
      /** Revokes an earlier approval or denial. */
      revoke: late(async () => (await import('./answer/approve.ts')).revoke),
    },
    /**
     * A team's server and catalog.
     * @example
     * try {
     *   console.log((await loadout.team.status({})).value)
     * } catch (error) {
     *   if (!(error instanceof LoadoutError)) throw error
     *   console.log(error.code, error.hint) // TEAM_NOT_JOINED, and what to do
     * }
     */
    team: {
      /** Joins this machine to a team's server. */
      join: late(async () => (await import('./team/join.ts')).joinTeam),
      /** Leaves the team. Nothing more is sent. */
      leave: late(async () => (await import('./team/join.ts')).leaveTeam),
      /** The address of the team that this machine has joined. */
      address: plain(async () => (await import('./team/catalog.ts')).teamAddress),
      /** Shows what is waiting to be sent, and the last answer of the server. */
      status: late(async () => (await import('./team/status.ts')).teamStatus),
      /** Sends waiting events, or shows the exact bytes. */
      push: late(async () => (await import('./team/push.ts')).pushUsage),
      /** Asks the server for the report of the team. */
      report: late(async () => (await import('./team/status.ts')).reportTeam),
      /** Makes a token for another machine. */
      invite: late(async () => (await import('./team/status.ts')).inviteToTeam),
      /** Lists the tokens of the team. */
      listTokens: late(async () => (await import('./team/status.ts')).listTeamTokens),
      /** Revokes a token. */
      revokeToken: late(async () => (await import('./team/status.ts')).revokeTeamToken),
      /** Lists the machines of the team. */
      listMachines: late(async () => (await import('./team/status.ts')).listTeamMachines),
      /** Reads the team's audit log, and checks that it is whole. */
      readAudit: late(async () => (await import('./team/status.ts')).readTeamAudit),
      /** Publishes a version of a skill or pack in the catalog. */
      publish: late(async () => (await import('./team/publish.ts')).publishVersion),
      /** Signs that machines may install a version. */
      approve: late(async () => (await import('./team/publish.ts')).approveVersion),
      /** Signs that machines must remove a skill or pack. */
      retire: late(async () => (await import('./team/publish.ts')).retireVersion),
      /** Quarantines a version, or releases it. */
      quarantine: late(async () => (await import('./team/publish.ts')).quarantineVersion),
      /** Searches the catalog. */
      searchCatalog: late(async () => (await import('./team/catalog.ts')).searchCatalog),
      /** Signs the whole catalog again. */
      signCatalog: late(async () => (await import('./team/publish.ts')).signCatalog),
      /** Begins again with the catalog of a fingerprint. */
      acceptCatalog: late(async () => (await import('./team/publish.ts')).acceptCatalog),
      /** Proposes the edits of a skill to the team's maintainers. Nothing is changed here. */
      propose: late(async () => (await import('./team/proposals.ts')).proposeSkill),
      /** Lists what machines have proposed. */
      listProposals: late(async () => (await import('./team/proposals.ts')).listProposals),
      /** Takes a proposal into the library and approves it with one signature, or declines it. */
      adoptProposal: late(async () => (await import('./team/proposals.ts')).adoptProposal),
      /** Runs the team's server until it is stopped. */
      serve: late(async () => (await import('./team/serve.ts')).serveTeam),
      /** Changes the schema of the team's database. */
      migrate: late(async () => (await import('./team/serve.ts')).migrateTeam),
      /** Makes a first token straight in the database, for an administrator who lost theirs. */
      recoverToken: late(async () => (await import('./team/serve.ts')).recoverToken),
    },
  }
}

type UseCase<Request, Result> = (machine: Machine, request: Request) => Result

/** A program in JavaScript may leave the task out. */
function forTask<Request extends { task: string }, Result>(run: UseCase<Request, Result>): UseCase<Request, Result> {
  return (machine, request) => {
    const task: unknown = request?.task
    if (typeof task === 'string' && task.trim() !== '') return run(machine, request)
    throw failWith('USAGE/no-task')
  }
}

export type { AgentView, SettingsView } from './agents/config.ts'
export type { HookChanges } from './agents/hooks-change.ts'
export type { HookStatuses } from './agents/hooks-status.ts'
export type { KnownAgentRules, SeenByAgent } from './agents/see.ts'
export type { Verification } from './agents/verify.ts'
export type { AdapterList } from './answer/adapters.ts'
export type { AgentsMd } from './answer/agents-md.ts'
export type { Context, Replay } from './answer/answer.ts'
export type { Answered } from './answer/approve.ts'
export type { NamedExplanation } from './answer/explain.ts'
export type { AddedNote, NoteList, NotePruning } from './answer/notes.ts'
export type { PackRequest } from './answer/packs.ts'
export type { EntryLookup, EntryText, SkillCard } from './answer/read.ts'
export type { BundleRecord } from './answer/record.ts'
export type { FullSearchResult, SearchHit } from './answer/search.ts'
export type { HookAnswer } from './answer/session/hook.ts'
export type { RecalledConversation } from './answer/session/recall.ts'
export type { Loadable } from './answer/sources.ts'
export type { SampleTour } from './answer/try.ts'
export type { Health } from './health/doctor.ts'
export type { MachineStatus } from './health/rules/status.ts'
export type { Validation } from './health/validate.ts'
export type { Stamps, Watched } from './health/watch.ts'
export type { Comparison, SuiteReport } from './lab/eval.ts'
export type { HistoryEvaluation } from './lab/eval-history.ts'
export type { PackEvaluation } from './lab/eval-pack.ts'
export type { Improvement } from './lab/improve.ts'
export type { OfflineReport, Similar } from './lab/offline.ts'
export type { PastComparison } from './lab/past-tasks.ts'
export type { Proven, TestPlan, TestReport } from './lab/prove.ts'
export type { TeachExport, Teaching } from './lab/teach.ts'
export type { TeachStatus } from './lab/teachable.ts'
export type { Tuning } from './lab/tune.ts'
export type { PrunedAudits } from './machine/audits.ts'
export type { PackFetch } from './packs/catalog.ts'
export type { Compiled, CompileTask, PackCompileStatus } from './packs/compile.ts'
export type { ExportedPack } from './packs/export.ts'
export type { NewPack, PackFromDocs } from './packs/new-pack.ts'
export type { PackContext } from './packs/rules/resolve/pack-context.ts'
export type { PackList, PackView } from './packs/show.ts'
export type { DeclaredExamples, PackValidation } from './packs/validate.ts'
export type { BudgetReport } from './payloads/analysis.ts'
export type { Resolution } from './payloads/explain.ts'
export type { IndexBuild, IndexCheck } from './payloads/index-build.ts'
export type { MigrateResult } from './payloads/index-migrate.ts'
export type { LoadedPayload, LoadedPlan, LoadRequest, LoadResult, TaskPlan } from './payloads/plan.ts'
export type { DeadEntry, KeywordOverlap } from './payloads/rules/analysis.ts'
export { PHASES } from './payloads/rules/loadout-index.ts'
export { describeWhy, percent, STRATEGIES } from './search/document.ts'
export type { Adoption, MergeResult, MergeView } from './skills/adopt.ts'
export type { CandidateView, SkillOffer } from './skills/candidates.ts'
export type { Check } from './skills/doctor.ts'
export type { ListingRoom } from './skills/equip.ts'
export type { FixPlan, ListCounts, UndoneFix } from './skills/fix-list.ts'
export type { Publisher } from './skills/gate.ts'
export type { ImportResult } from './skills/import.ts'
export type { InitResult } from './skills/init.ts'
export type { SkillDiff, SkillPreview, SkillText } from './skills/inspect.ts'
export type { Inventory, PlacementView, SkillView } from './skills/inventory.ts'
export type { Leaving } from './skills/leave.ts'
export type { Deletion, Edited, NewSkill, TargetsChange, Undone } from './skills/library-edits.ts'
export type { Suggestions } from './skills/library-skills.ts'
export type { Outcome, WaitingSkill } from './skills/observe.ts'
export type { ProfileSaving, SavedProfile } from './skills/profiles.ts'
export type { ProjectOutcome } from './skills/project.ts'
export type { SyncState } from './skills/rules/sync-decision.ts'
export type { BuiltPlugin, SharedSkill } from './skills/share.ts'
export type { SyncResult } from './skills/sync.ts'
export type { TestResults } from './skills/tested-skills.ts'
export type { PinResult, SourceState, UpdateResult } from './skills/update.ts'
export type { CatalogRow, CatalogView } from './team/catalog.ts'
export type { Joined, Left } from './team/join.ts'
export type { Published, Signed } from './team/publish.ts'
export type { Push } from './team/push.ts'
export type { Proposal } from './team/rules/proposal.ts'
export type { TeamReport } from './team/rules/report.ts'
export type { SchemaChange } from './team/serve.ts'
export type { AuditLog, Invitation, TeamMachine, TeamStatus, TeamToken } from './team/status.ts'
export type { UsageExport } from './usage/export.ts'
export type { Conversations, UsageOverTime } from './usage/look-back.ts'
export { entryId } from './usage/rules/entry-id.ts'
export type { EntryUsage } from './usage/rules/entry-usage.ts'
export type { Erasure, TaskKeeping } from './usage/usage.ts'
export type { PriceTable, UsageSettings } from './usage/usage-settings.ts'
