import { type Hints, readHints } from '../../../text/sensitive/hints.ts'
import type { Spot } from './spots.ts'

type Pattern = readonly [
  rule: Spot['rule'],
  severity: Spot['severity'],
  message: string,
  hints: Hints,
  pattern: () => RegExp,
]

/** Only with an address: a command that is only mentioned has none. */
const LOAD = String.raw`\b(?:curl|wget|aria2c|lynx|fetch)\b(?=(?:[^\n|]|\\\n)*[/$.%])`
/** Programs that run their input, not those that only read it as data. */
const SHELL = String.raw`(?:sudo\s+(?:-\S+\s+)*)?(?:env\s+(?:\S+=\S+\s+)+)?(?:[\w/.]*/)?(?:(?:ba|z|da|k|c|fi)?sh\b|(?:python[\d.]*|node|perl|ruby|php|deno run|bun run)(?:\s+-)?(?=\s*(?:$|["'\x60)\n;&|])))`
const PIPE = String.raw`\s*(?:\\\n\s*)?\|\s*`
const DECODE = String.raw`(?:base64\s+(?:-d|-D|--decode|-di)\b|xxd\s+-r\b|openssl\s+(?:enc|base64)\b[^\n|]*-d\b|\brev\b|\btr\s+['"]|uudecode|printf\s+['"]?(?:\\x[0-9a-f]{2}|\\[0-7]{3}){3,})`

const LOADERS = ['curl', 'wget', 'aria2c', 'lynx', 'fetch']

const PATTERNS: readonly Pattern[] = [
  [
    'download-and-run',
    'severe',
    'downloads something and runs it',
    [LOADERS, ['|']],
    () => new RegExp(`${LOAD}(?:[^\\n|]|\\\\\\n)*${PIPE}(?:tee\\s+\\S+${PIPE})?${SHELL}`, 'gim'),
  ],
  [
    'download-and-run',
    'severe',
    'runs what a download prints',
    [LOADERS],
    () =>
      new RegExp(
        String.raw`(?:(?:ba|z|da|k)?sh\b[^\n]{0,20}|\bsource\s+|(?:^|\s)\.\s+|\beval\s+|python[\d.]*\s+)["']?(?:<\(|\$\()\s*${LOAD}|\b(?:eval|sh\s+-c)\s+["']?\x60\s*${LOAD}`,
        'gim',
      ),
  ],
  [
    'download-and-run',
    'severe',
    'PowerShell runs what it downloads',
    [['iex', 'invoke-expression']],
    () =>
      /(?:\biex\b|Invoke-Expression)[^\n]{0,200}(?:DownloadString|DownloadFile|\birm\b|\biwr\b|Invoke-(?:WebRequest|RestMethod)|WebClient)|(?:\birm\b|\biwr\b|Invoke-(?:WebRequest|RestMethod)|DownloadString)[^\n|]{0,300}\|\s*(?:iex\b|Invoke-Expression)/gi,
  ],
  [
    'download-and-run',
    'severe',
    'runs code that it downloads',
    [
      ['exec', 'eval'],
      ['urlopen', 'requests.get', 'httpx.get', 'urllib', 'fetch'],
    ],
    () =>
      /\b(?:exec|eval)\s*\(\s*(?:await\s+)?(?:[\w.]+\s*\(\s*)*[\w.]*(?:urlopen|requests\.get|httpx\.get|urllib\w*\.request|fetch\s*\()|\bfetch\([^\n]*\)[^\n]*\beval\s*\(/g,
  ],
  [
    'download-and-run',
    'severe',
    'runs code that it downloads',
    [
      ['exec', 'eval'],
      ['urlopen', 'requests.get', 'httpx.get', 'axios.get', 'fetch'],
    ],
    () =>
      /(\w+)\s*=\s*(?:await\s+)?[^\n]*(?:requests\.get|urlopen|httpx\.get|axios\.get|\bfetch)\s*\([\s\S]{0,400}?\b(?:exec|eval)\s*\(\s*\1\b/g,
  ],
  [
    'download-and-run',
    'severe',
    'downloads a program and runs it',
    [['chmod'], ['curl', 'wget']],
    () =>
      /\b(?:curl|wget)\b[^\n]*\s(?:-o|-O|--output|--output-document)[= ]?\s*["']?([^\s"'\\-][^\s"'\\]*)["']?[\s\S]{0,160}?\bchmod\s+\S*[x75]\S*\s+["']?\1["']?[\s\S]{0,120}?(?:^|[\s;&|])(?:sudo\s+)?(?:\.\/)?\1(?=$|[\s;&"'\x60])/gm,
  ],
  [
    'download-and-run',
    'severe',
    'downloads a program and runs it',
    [['certutil', 'bitsadmin', 'mshta', 'regsvr32']],
    () =>
      /\bcertutil\b[^\n]*-urlcache|\bbitsadmin\b[^\n]*\/transfer|\bmshta\s+(?:https?:|javascript:)|\bregsvr32\b[^\n]*\/i:https?:/gi,
  ],
  [
    'hidden-command',
    'severe',
    'runs a command that cannot be read',
    [['|']],
    () => new RegExp(`${DECODE}[^\\n|]*${PIPE}(?:[^\\n|]*${PIPE})?${SHELL}`, 'gim'),
  ],
  [
    'hidden-command',
    'severe',
    'runs code that cannot be read',
    [['exec', 'eval', 'function', 'compile', 'loads']],
    () =>
      /(?<!\b(?:u?json|yaml|toml|tomllib)\.)\b(?:exec|eval|Function|compile|loads)\s*\(\s*(?:[\w.]+\s*\(\s*)*(?:[\w.]*b64decode|atob\s*\(|Buffer\.from\([^)]*base64|bytes\.fromhex|codecs\.decode|zlib\.decompress|marshal\.loads|unescape\s*\(|String\.fromCharCode|["']{2}\.join\(\s*(?:map\()?\s*\[?chr)/g,
  ],
  [
    'hidden-command',
    'severe',
    'PowerShell runs a command that cannot be read',
    [['powershell', 'pwsh', 'frombase64string']],
    () =>
      /\b(?:powershell|pwsh)(?:\.exe)?\b[^\n]*\s-e(?:c|nc|ncodedcommand)?\s+[A-Za-z0-9+/=]{16,}|(?:\biex\b|Invoke-Expression)[^\n]*FromBase64String|FromBase64String[^\n]*\|\s*(?:iex\b|Invoke-Expression)/gi,
  ],
  [
    'remote-shell',
    'severe',
    'opens a shell for another machine',
    [['/dev/', '/bin/', 'cmd', 'socat']],
    () =>
      /(?:>&?|<>?)\s*\/dev\/(?:tcp|udp)\/[\w.${}-]+\/[\w${}]+[^\n]*(?:0>&1|>&|<&)|\b(?:nc|ncat|netcat)\b[^\n]*\s-\w*[ec]\w*\s+(?:\/bin\/|cmd)\S*|\bsocat\b[^\n]*exec:/gi,
  ],
  [
    'remote-shell',
    'severe',
    'opens a shell for another machine',
    [['socket'], ['dup2', 'pty.spawn']],
    () =>
      /\bsocket\b[\s\S]{0,400}\.connect\([\s\S]{0,300}(?:dup2|pty\.spawn)[\s\S]{0,200}(?:\/bin\/(?:ba)?sh|cmd\.exe)/g,
  ],
  [
    'persistence',
    'severe',
    'lets somebody log in by ssh',
    [['authorized_keys']],
    () => />>?\s*["']?[\w/$~{}.]*\.ssh\/authorized_keys/g,
  ],
  [
    'persistence',
    'severe',
    'runs a download again and again',
    [['crontab']],
    () => /(?:curl|wget|\/dev\/tcp)[^\n]*\|\s*crontab\b|crontab\b[^\n]*(?:curl|wget)\b/g,
  ],
  [
    'persistence',
    'severe',
    'makes an agent run a command',
    [['hooks'], ['settings']],
    () => /hooks[^\n]*command[^\n]*>>?\s*["']?[\w/$~{}.]*\.(?:claude|codex|cursor|gemini)\/settings[\w.]*\.json/gi,
  ],
  [
    'persistence',
    'warning',
    'changes a file that the shell or an agent starts with',
    [['.bashrc', '.zshrc', '.profile', '.bash_profile', '.zprofile', '.claude', '.codex', '.cursor', '.gemini']],
    () =>
      />>?\s*["']?(?:~|\$HOME|\$\{HOME\})\/(?:\.(?:bashrc|zshrc|profile|bash_profile|zprofile)|\.(?:claude|codex|cursor|gemini)\/[\w.]*(?:settings|config)\S*)/g,
  ],
  [
    'persistence',
    'warning',
    'turns off the questions of an agent',
    [['--dangerously-', '--yolo']],
    () => /--dangerously-skip-permissions|--dangerously-bypass-approvals-and-sandbox|--yolo\b/g,
  ],
  [
    'destruction',
    'severe',
    'deletes everything of the user',
    [['--no-preserve-root']],
    () =>
      /\brm\s+-\w*[rR]\w*\s+(?:-\w+\s+)*(?:--no-preserve-root\s+)?["']?(?:\/|~\/?|\$HOME\/?|\$\{HOME\}\/?)["']?\s+--no-preserve-root|\brm\s+-\w*[rR]\w*\s+(?:-\w+\s+)*--no-preserve-root\s+["']?(?:\/|~|\$HOME)/g,
  ],
  [
    'destruction',
    'warning',
    'deletes the home folder or the whole disk',
    [['rm']],
    () => /\brm\s+-\w*(?:r\w*f|f\w*r)\w*\s+["']?(?:\/|~\/?|\$HOME\/?|\$\{HOME\}\/?)\*?["']?(?=$|[\s;&|"'\x60)])/gm,
  ],
]

/** Publishers whose installers are usually piped into a shell, with their subdomains. No host where anyone can upload files. */
const KNOWN_HOSTS = new Set(
  `
    127.0.0.1 localhost example.com example.net example.org aka.ms anaconda.com anthropic.com aspire.dev
    astral.sh aws.amazon.com awscli.amazonaws.com brew.sh bun.com bun.sh chocolatey.org claude.ai cli.new
    cloudflare.com code-server.dev code.visualstudio.com conda.io cursor.com datadoghq.com deno.com
    deno.land/install.ps1 deno.land/install.sh deno.land/x/install/install.sh dl.google.com docker.com dot.net
    fluxcd.io fly.io fnm.vercel.app foundry.paradigm.xyz get.sdkman.io golang.org grafana.com hashicorp.com
    helm.sh heroku.com install.determinate.systems install.soliditylang.org istio.io jdx.dev k8s.io
    lambdalabs.com linkerd.io mamba.pm microsoft.com mise.run ncbi.nlm.nih.gov neon.tech nextflow.io nixos.org
    nodesource.com npmjs.com ollama.ai ollama.com openai.com pixi.sh pnpm.io pulumi.com pypa.io python-poetry.org
    python.org railway.app/install.sh rust-lang.org rustup.rs scoop.sh sdk.cloud.google.com semgrep.dev
    starship.rs stripe.com supabase.com tailscale.com vercel.com volta.sh
  `
    .trim()
    .split(/\s+/),
)
/** Owners on GitHub that publish such installers. */
const KNOWN_OWNERS = new Set(
  `
    anchore anthropics aquasecurity argoproj asdf-vm astral-sh auth0 aws azure cli conda-forge crytic docker
    fluxcd foundry-rs github golangci google googlecloudplatform hadolint helm homebrew junegunn k3d-io k3s-io
    kubernetes kubernetes-sigs microsoft nextflow-io nvm-sh ohmyzsh openai pyenv rbenv render-oss rustwasm
    scoopinstaller semgrep trufflesecurity vercel
  `
    .trim()
    .split(/\s+/),
)

/** Finds commands that download and run code, hide what they do, open a remote shell, persist, or destroy data. */
export function findCommands(text: string): Spot[] {
  const spots: Spot[] = []
  const isPossible = readHints(text)
  for (const [rule, severity, message, hints, pattern] of PATTERNS) {
    if (!isPossible(hints)) continue
    for (const match of text.matchAll(pattern())) {
      const isKnown = rule === 'download-and-run' && isFromKnown(addressesOf(text, match))
      const at = match.index + match[0].search(/\S/)
      spots.push({ rule, severity: isKnown ? 'warning' : severity, at, message })
    }
  }
  return spots
}

/** The addresses in a command; else in its lines, which may define a variable; else addresses without `https://`. */
function addressesOf(text: string, match: RegExpMatchArray): string[] {
  const [found] = match
  const start = text.lastIndexOf('\n', match.index ?? 0)
  const end = text.indexOf('\n', (match.index ?? 0) + found.length)
  const lines = text.slice(Math.max(0, start), end < 0 ? text.length : end)
  const whole = [found, lines].map((read) => [...read.matchAll(/\b(?:https?|ftp):\/\/([^\s"'\x60<>)|]+)/gi)])
  const addresses = whole.find(({ length }) => length > 0) ?? [
    ...found.matchAll(/(?<=[\s"'(])((?:[a-z\d-]+\.)+[a-z]{2,}(?:[/:][^\s"'\x60<>)|]*)?)/g),
  ]
  return addresses.map((address) => address[1] ?? '')
}

/** Only if all addresses are known. */
function isFromKnown(addresses: readonly string[]): boolean {
  return addresses.length > 0 && addresses.every(isKnownAddress)
}

function isKnownAddress(address: string): boolean {
  const [authority = '', owner = ''] = address.toLowerCase().split(/[/?#]/)
  // The part before @ is a user name, even if it looks like a host.
  if (authority.includes('@')) return false
  const host = authority.replace(/:\d+$/, '')
  if (host === 'raw.githubusercontent.com') return KNOWN_OWNERS.has(owner)
  return (
    KNOWN_HOSTS.has(address.toLowerCase()) ||
    host.split('.').some((_, at, labels) => KNOWN_HOSTS.has(labels.slice(at).join('.')))
  )
}
