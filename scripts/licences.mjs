import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Writes the licence of every package that was bundled, as the metafiles of these builds name them. */
export function writeLicences(file, builds) {
  const inputs = builds.flatMap(({ metafile }) =>
    Object.values(metafile.outputs).flatMap((output) => Object.keys(output.inputs)),
  )
  const folders = new Set(inputs.filter((path) => path.includes('node_modules/')).map(packageFolder))
  const notices = [...folders].map(noticeOf).sort((a, b) => (a < b ? -1 : 1))
  writeFileSync(file, `# Third-party licences\n\nLoadout includes these packages.\n\n${notices.join('\n')}`)
}

/** The folder of a package, which may be inside that of another. */
function packageFolder(path) {
  const parts = path.split('/')
  const at = parts.lastIndexOf('node_modules') + 1
  return parts.slice(0, at + (parts[at].startsWith('@') ? 2 : 1)).join('/')
}

function noticeOf(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const texts = readdirSync(folder).filter(
    (file) => /^(licen[cs]e|copying|notice)/i.test(file) && existsSync(join(folder, file)),
  )
  if (!license && texts.length === 0) throw new Error(`${name} names no licence`)
  const quoted = texts.map((file) => `\`\`\`text\n${readFileSync(join(folder, file), 'utf8').trim()}\n\`\`\`\n`)
  return `## ${name} ${version}\n\n${license ?? 'See below'}\n\n${quoted.join('\n')}`
}
