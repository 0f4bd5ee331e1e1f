import { describe, expect, it } from 'vitest'
import { AGENT_IDS, AGENTS, isAgent, requireAgent } from './agents.ts'
import { RECORDED_AGENTS, recordedRules } from './recorded-rules.ts'

describe('the table of agents', () => {
  it('has each once', () => {
    expect(new Set(AGENT_IDS).size).toBe(AGENTS.length)
    const names = AGENTS.flatMap(({ id, aliases = [] }) => [id, ...aliases])
    expect(new Set(names).size).toBe(names.length)
    expect(new Set(AGENTS.map(({ label }) => label)).size).toBe(AGENTS.length)
    const folders = AGENTS.flatMap(({ userFolder }) => userFolder ?? [])
    expect(new Set(folders).size).toBe(folders.length)
  })

  it('enables two by default', () => {
    expect(AGENTS.filter(({ isEnabledByDefault }) => isEnabledByDefault).map(({ id }) => id)).toEqual([
      'claude',
      'codex',
    ])
  })

  it.each(RECORDED_AGENTS)('knows whose folders %s reads too, as recorded', (id) => {
    const places = recordedRules(id)?.rows.at(-1)?.rules.reading.places ?? []
    const inHome = places.flatMap(({ from, path }) => (from === 'home' ? [path] : []))
    const others = AGENTS.filter((agent) => agent.id !== id && inHome.includes(agent.userFolder ?? ''))
    expect(requireAgent(id).alsoReads ?? []).toEqual(others.map((agent) => agent.id))
  })

  it.each(AGENTS.map((agent) => [agent.id, agent] as const))(
    '%s stays below the home folder and the project',
    (_, agent) => {
      expect(agent.id).toMatch(/^[a-z]+(?:-[a-z]+)*$/)
      for (const folder of [agent.userFolder ?? agent.projectFolder, agent.projectFolder])
        expect(`./${folder}`).toMatch(/^\.(?:\/\.?[a-z-]+)*\/skills$/)
      if (agent.home) expect(agent.userFolder).toContain(`${agent.home.folder}/`)
    },
  )
})

it.each<[id: string, expected: boolean]>([
  ['claude', true],
  ['Claude', false],
  ['', false],
  ['toString', false],
  ['__proto__', false],
])('%j is an agent: %s', (id, expected) => {
  expect(isAgent(id)).toBe(expected)
})

it('an agent is found by its id, or the nearest is named', () => {
  expect(requireAgent('codex').label).toBe('Codex')
  expect(requireAgent('claude-code').id).toBe('claude')
  expect(requireAgent('zed').id).toBe('agents')
  expect(requireAgent('zenflow').id).toBe('zencoder')
  expect(() => requireAgent('cloude')).toThrow('there is no agent "cloude"; did you mean claude?')
  expect(() => requireAgent('zzzzzz')).toThrow(/^there is no agent "zzzzzz"$/)
})

// Every id of the largest public list, with the folder in projects and the user's folder: `=` for the same, nothing for
// none. Without Codex, Cline, Kimi Code and Pi: the list has the shared folder for them, and Loadout uses their own.
const LISTED = `
  adal .adal/skills =
  aider-desk .aider-desk/skills =
  amp .agents/skills .config/agents/skills
  antigravity .agents/skills .gemini/antigravity/skills
  antigravity-cli .agents/skills .gemini/antigravity-cli/skills
  astrbot data/skills .astrbot/data/skills
  augment .augment/skills =
  autohand-code .autohand/skills =
  bob .bob/skills =
  claude-code .claude/skills =
  cline .agents/skills .cline/skills
  codearts-agent .codeartsdoer/skills =
  codebuddy .codebuddy/skills =
  codemaker .codemaker/skills =
  codestudio .codestudio/skills =
  command-code .commandcode/skills =
  continue .continue/skills =
  cortex .cortex/skills .snowflake/cortex/skills
  crush .crush/skills .config/crush/skills
  cursor .agents/skills .cursor/skills
  deepagents .agents/skills .deepagents/agent/skills
  devin .devin/skills .config/devin/skills
  dexto .agents/skills =
  droid .agents/skills .factory/skills
  eve agent/skills
  firebender .agents/skills .firebender/skills
  forgecode .forge/skills =
  fx .agents/skills =
  gemini-cli .agents/skills .gemini/skills
  github-copilot .agents/skills .copilot/skills
  goose .goose/skills .config/goose/skills
  grok .grok/skills =
  hermes-agent .hermes/skills =
  iflow-cli .iflow/skills =
  inference-sh .inferencesh/skills =
  jazz .jazz/skills =
  junie .junie/skills =
  kilo .agents/skills .kilo/skills
  kimchi .kimchi/skills .config/kimchi/harness/skills
  kimi-code-cli .agents/skills .kimi-code/skills
  kiro-cli .kiro/skills =
  kode .kode/skills =
  lingma .lingma/skills =
  loaf .agents/skills =
  mcpjam .mcpjam/skills =
  minimax-code .minimax/skills =
  mistral-vibe .vibe/skills =
  moxby .moxby/skills =
  mux .mux/skills =
  neovate .neovate/skills =
  ona .ona/skills =
  openclaw skills .openclaw/skills
  opencode .agents/skills .config/opencode/skills
  openhands .openhands/skills =
  pi .agents/skills .pi/agent/skills
  pochi .pochi/skills =
  posit-assistant .posit/assistant/skills =
  promptscript .agents/skills
  qoder .qoder/skills =
  qoder-cn .qoder/skills .qoder-cn/skills
  qwen-code .qwen/skills =
  reasonix .reasonix/skills =
  replit .agents/skills .config/agents/skills
  roo .roo/skills =
  rovodev .rovodev/skills =
  sarvam-code .agents/skills =
  tabnine-cli .tabnine/agent/skills =
  terramind .terramind/skills =
  tinycloud .tinycloud/skills =
  trae .trae/skills =
  trae-cn .trae/skills .trae-cn/skills
  universal .agents/skills .config/agents/skills
  warp .agents/skills =
  windsurf .windsurf/skills .codeium/windsurf/skills
  zcode .zcode/skills =
  zed .agents/skills =
  zencoder .zencoder/skills =
  zenflow .zencoder/skills =
`

it.each(
  LISTED.trim()
    .split('\n')
    .map((line) => line.trim().split(' ')),
)('%s reads %s, and %s of the user', (id = '', project, user) => {
  const agent = requireAgent(id)
  expect([agent.projectFolder, agent.userFolder]).toEqual([project, user === '=' ? project : user])
})
