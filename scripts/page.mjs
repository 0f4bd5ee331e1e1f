// Builds the page of `loadout web` as static files: names change with their content, so that a browser may keep them.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename } from 'node:path'
import { build } from 'esbuild'

const SOURCE = 'src/web/page'

export async function buildPage(folder) {
  const built = await build({
    entryPoints: {
      main: `${SOURCE}/main.tsx`,
      team: `${SOURCE}/team.tsx`,
      style: `${SOURCE}/style/style.css`,
      icon: `${SOURCE}/icon.svg`,
    },
    outdir: `${folder}/assets`,
    entryNames: '[name]-[hash]',
    chunkNames: '[name]-[hash]',
    loader: { '.svg': 'copy' },
    bundle: true,
    splitting: true,
    format: 'esm',
    platform: 'browser',
    target: ['chrome123', 'firefox120', 'safari17.5'],
    jsx: 'automatic',
    jsxImportSource: 'preact',
    define: { 'process.env.NODE_ENV': '"production"' },
    minify: true,
    metafile: true,
  })
  const nameOf = (entry) => {
    const found = Object.entries(built.metafile.outputs).find(([, { entryPoint }]) => entryPoint === entry)
    return basename(found?.[0] ?? '')
  }
  const html = readFileSync(`${SOURCE}/index.html`, 'utf8')
    .replace('ICON', nameOf(`${SOURCE}/icon.svg`))
    .replace('STYLE', nameOf(`${SOURCE}/style/style.css`))
  mkdirSync(folder, { recursive: true })
  // The page of this machine, and that of a team's server.
  writeFileSync(`${folder}/index.html`, html.replace('SCRIPT', nameOf(`${SOURCE}/main.tsx`)))
  writeFileSync(`${folder}/team.html`, html.replace('SCRIPT', nameOf(`${SOURCE}/team.tsx`)))
  return built
}
