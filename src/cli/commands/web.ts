import { createLoadout } from '../../loadout.ts'
import { failWith } from '../../text/trouble.ts'
import { defineCommand, PROJECT_FLAG } from '../command.ts'

const USUAL_PORT = 8419

export const web = defineCommand({
  name: 'web',
  summary: 'show agents, bundles, usage and skills in a browser',
  details:
    'Serves a page on 127.0.0.1 until ctrl-c. Only the address that it prints opens the page, because it contains\n' +
    'a token; each start makes a new one. Nothing leaves this machine.',
  args: [],
  flags: {
    port: { kind: 'number', value: 'n', summary: `the port; 0 for any free port (default: ${USUAL_PORT})` },
    open: { kind: 'switch', summary: 'open the page in the browser' },
    ...PROJECT_FLAG,
  },
  run: async ({ flags: { port = USUAL_PORT, open, project }, asJson, control: { signal } }) => {
    if (asJson) throw failWith('USAGE/web-json')
    const loadout = createLoadout({ persist: true })
    // Report a missing folder now, not at every request.
    loadout.knowledge.nameLayers({ project })
    const { project: around } = project === undefined ? await loadout.agents.detectProject({}) : { project }
    const { serveWeb } = await import('../../web/main.ts')
    const tell = (text: string) => void process.stderr.write(`${text}\n`)
    await serveWeb({ port, project: around, isOpened: open === true, signal, tell })
    return { value: {}, findings: [] }
  },
  print: () => '',
})
