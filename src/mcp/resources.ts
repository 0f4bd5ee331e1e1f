import { type McpServer, ResourceTemplate } from '@modelcontextprotocol/server'
import { cap } from './cap.ts'
import { placeOf } from './fields.ts'
import { indexText } from './index-text.ts'
import { orProtocolError } from './problem.ts'
import type { Desk } from './tool.ts'
import { MOST_CHARACTERS } from './tools/read-entry.ts'
import { ENTRY_TEMPLATE, entryUri, INDEX_URI, PACK_TEMPLATE, packUri, readVariable } from './uris.ts'

const MARKDOWN = { mimeType: 'text/markdown' }
/** Of an index with thousands of entries a list is no help; the search is. */
const MOST_LISTED = 200
/** More than a client may be offered for completion. */
const MOST_OFFERED = 100

/** What can be loaded, as resources a person picks from. */
export function serveResources(mcp: McpServer, desk: Desk): void {
  const { loadout } = desk
  const loadable = async () => (await loadout.listLoadable(placeOf(desk))).value
  const readAs = async (uri: URL, id: string) => {
    const { value } = await loadout.read({ id, ...placeOf(desk), maxCharacters: MOST_CHARACTERS })
    return { contents: [{ uri: uri.href, ...MARKDOWN, text: value.text }] }
  }

  mcp.registerResource('index', INDEX_URI, { description: 'What can be loaded here', ...MARKDOWN }, (uri) =>
    orProtocolError(async () => ({ contents: [{ uri: uri.href, ...MARKDOWN, text: indexText(await loadable()) }] })),
  )

  const entries = new ResourceTemplate(ENTRY_TEMPLATE, {
    list: () =>
      orProtocolError(async () => {
        const { shown } = cap((await loadable()).payloads, MOST_LISTED, '')
        return { resources: shown.map(({ id, summary }) => ({ uri: entryUri(id), name: id, description: summary })) }
      }),
    complete: {
      id: (text) =>
        orProtocolError(async () =>
          offer(
            (await loadable()).payloads.map(({ id }) => id),
            text,
          ),
        ),
    },
  })
  mcp.registerResource('entry', entries, { description: 'The text of one payload', ...MARKDOWN }, (uri, { id }) =>
    orProtocolError(() => readAs(uri, `payload:${readVariable(id)}`)),
  )

  const packs = new ResourceTemplate(PACK_TEMPLATE, {
    list: () =>
      orProtocolError(async () => {
        const { shown } = cap((await loadable()).packs, MOST_LISTED, '')
        return {
          resources: shown.map(({ name, summary }) => ({
            uri: packUri(name, 'KNOWLEDGE.md'),
            name,
            description: summary,
          })),
        }
      }),
    complete: {
      name: (text) =>
        orProtocolError(async () =>
          offer(
            (await loadable()).packs.map(({ name }) => name),
            text,
          ),
        ),
    },
  })
  mcp.registerResource(
    'pack',
    packs,
    { description: 'One file of a knowledge pack', ...MARKDOWN },
    (uri, { name, path }) => orProtocolError(() => readAs(uri, `pack:${readVariable(name)}/${readVariable(path)}`)),
  )
}

function offer(names: readonly string[], text: string): string[] {
  return names.filter((name) => name.startsWith(text)).slice(0, MOST_OFFERED)
}
