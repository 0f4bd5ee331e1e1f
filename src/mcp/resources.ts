import { type McpServer, ResourceTemplate, type Variables } from '@modelcontextprotocol/server'
import type { Loadable } from '../app/loadout.ts'
import { printableLine } from '../domain/shared/printable.ts'
import { placeOf } from './fields.ts'
import { indexText } from './index-text.ts'
import { orProtocolError } from './problem.ts'
import type { Desk } from './tool.ts'
import { MOST_CHARACTERS } from './tools/read-entry.ts'
import { ENTRY_TEMPLATE, entryUri, INDEX_URI, PACK_TEMPLATE, packUri, readVariable } from './uris.ts'

/** A kind of resource with many of it. */
interface Kind {
  name: string
  description: string
  template: string
  /** The part of the address that can be completed. */
  variable: string
  list(loadable: Loadable): { name: string; summary: string }[]
  uriOf(name: string): string
  /** What to read for an address. */
  idOf(variables: Variables): string
}

const KINDS: readonly Kind[] = [
  {
    name: 'entry',
    description: 'The text of one payload',
    template: ENTRY_TEMPLATE,
    variable: 'id',
    list: ({ payloads }) => payloads.map(({ id, summary }) => ({ name: id, summary })),
    uriOf: entryUri,
    idOf: ({ id }) => `payload:${readVariable(id)}`,
  },
  {
    name: 'pack',
    description: 'One file of a knowledge pack',
    template: PACK_TEMPLATE,
    variable: 'name',
    list: ({ packs }) => packs,
    uriOf: (name) => packUri(name, 'KNOWLEDGE.md'),
    idOf: ({ name, path }) => `pack:${readVariable(name)}/${readVariable(path)}`,
  },
]

const MARKDOWN = { mimeType: 'text/markdown' }
/** Of an index with thousands of entries a list is no help; the search is. */
export const MOST_LISTED = 200
const INDEX_DESCRIPTION = `What can be loaded here. As resources, the first ${MOST_LISTED} of each kind are listed.`

/** What can be loaded, as resources a person picks from. */
export function serveResources(mcp: McpServer, desk: Desk): void {
  const listLoadable = () => desk.loadout.listLoadable(placeOf(desk))
  const loadable = async () => (await listLoadable()).value
  const contents = (uri: URL, text: string) => ({ contents: [{ uri: uri.href, ...MARKDOWN, text }] })

  mcp.registerResource('index', INDEX_URI, { description: INDEX_DESCRIPTION, ...MARKDOWN }, (uri) =>
    orProtocolError(async () => {
      const { value, findings } = await listLoadable()
      return contents(uri, indexText(value, findings))
    }),
  )
  for (const { name, description, template, variable, list, uriOf, idOf } of KINDS) {
    const resources = async () =>
      list(await loadable())
        .slice(0, MOST_LISTED)
        .map((item) => ({ uri: uriOf(item.name), name: item.name, description: printableLine(item.summary) }))
    // Cut by the SDK, which also tells that there are more.
    const complete = async (text: string) =>
      list(await loadable()).flatMap((item) => (item.name.startsWith(text) ? [item.name] : []))
    const read = async (uri: URL, id: string) => {
      const { value } = await desk.loadout.read({ id, ...placeOf(desk), maxCharacters: MOST_CHARACTERS })
      return contents(uri, value.text)
    }
    mcp.registerResource(
      name,
      new ResourceTemplate(template, {
        list: () => orProtocolError(async () => ({ resources: await resources() })),
        complete: { [variable]: (text) => orProtocolError(() => complete(text)) },
      }),
      { description, ...MARKDOWN },
      (uri, variables) => orProtocolError(() => read(uri, idOf(variables))),
    )
  }
}
