import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'

/** The last step of the release workflow: uploads the site of one version and moves the menu to it. */
export function publishDocs(version) {
  if (!existsSync('site/index.html')) throw new Error('the site is not built: npm run docs')
  checkLinks('site')
  upload('site', `versions/${version}`)
  moveMenu(version)
}

function checkLinks(folder) {
  const { status, stdout } = spawnSync('node', ['tools/check-links.js', folder], { encoding: 'utf8' })
  if (status !== 0) throw new Error(`publishing stops at broken links:\n${stdout}`)
}

/** The token is that of the registry; it lives for ninety days. */
function upload(folder, place) {
  const token = process.env.REGISTRY_TOKEN
  if (token === undefined) throw new Error('REGISTRY_TOKEN is not set: the workflow needs the environment "registry"')
  const { status, stderr } = spawnSync('hosting', ['put', folder, place], { env: { ...process.env, TOKEN: token } })
  if (status === 3) throw new Error('403: the token has expired; renew it, then run this step again')
  if (status !== 0) throw new Error(`the host refused: ${stderr}`)
}

function moveMenu(version) {
  const menu = JSON.parse(readFileSync('site/versions.json', 'utf8'))
  if (!menu.includes(version)) throw new Error(`site/versions.json does not name ${version}`)
  spawnSync('hosting', ['alias', 'latest', `versions/${version}`])
}

publishDocs(JSON.parse(readFileSync('package.json', 'utf8')).version)
