import { type HintReader, isPlaceholder, lettersOf, longWords, once, type TextSpan } from './matching.ts'

/**
 * Tokens with a recognisable prefix or format, one row each: the name in a mask, and the shape. Every repetition is
 * bounded. A row with `needs` has a shape that other words could have by chance.
 */
export const TOKEN_SHAPES: readonly (readonly [name: string, shape: string, needs?: RegExp])[] = [
  ['age-key', 'AGE-SECRET-KEY-1[A-Z0-9]{58}'],
  ['airtable-token', 'pat[A-Za-z0-9]{14}\\.[a-f0-9]{64}'],
  ['alibaba-key', 'LTAI[A-Za-z0-9]{17,21}'],
  ['anthropic-key', 'sk-ant-[\\w-]{20,255}', /\d/],
  ['asana-token', '[0-2]/\\d{16}(?:/\\d{16})?:[0-9a-f]{32}'],
  ['atlassian-token', 'AT(?:ATT|CTT)3[\\w=-]{20,400}'],
  ['authress-key', '(?:sc|ext|scauth|authress)_\\w{5,30}\\.\\w{4,6}\\.acc[_-][a-z0-9-]{10,32}\\.[\\w+/=-]{30,120}'],
  ['aws-access-key', '(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}'],
  ['aws-bedrock-key', 'ABSK[A-Za-z0-9+/]{80,269}={0,2}'],
  ['aws-bedrock-key', 'bedrock-api-key-[A-Za-z0-9+/=]{20,2000}'],
  ['azure-secret', '[\\w~.]{3}\\dQ~[\\w~.-]{31,34}'],
  ['beamer-key', 'b_[\\w=-]{44}', /\d.*\d/],
  ['bitbucket-password', 'ATBB[A-Za-z0-9]{28,40}', /\d/],
  ['brevo-key', 'xkeysib-[a-f0-9]{64}-[A-Za-z0-9]{16}'],
  ['buildkite-token', 'bkua_[a-z0-9]{40}'],
  ['clickhouse-key', '4b1d[A-Za-z0-9]{38}'],
  ['clojars-token', 'CLOJARS_[a-z0-9]{60}'],
  ['cloudflare-key', 'v1\\.0-[a-f0-9]{24}-[a-f0-9]{146}'],
  ['contentful-token', 'CFPAT-[\\w-]{43}'],
  ['databricks-token', 'dapi[0-9a-f]{32}(?:-\\d)?'],
  ['defined-key', 'dnkey-[\\w=-]{26}-[\\w=-]{52}'],
  ['digitalocean-token', 'do[opr]_v1_[0-9a-f]{64}'],
  ['discord-token', '[MNO][\\w-]{23,27}\\.[\\w-]{6}\\.[\\w-]{27,40}', /\d.*\..*[A-Z]/],
  ['discord-webhook', 'discord(?:app)?\\.com/api/webhooks/\\d{15,22}/[\\w-]{40,100}'],
  ['docker-token', 'dckr_[op]at_[\\w-]{20,80}'],
  ['doppler-token', 'dp\\.(?:pt|st|ct|sa|scim|audit)\\.[\\w.-]{36,100}'],
  ['duffel-token', 'duffel_(?:test|live)_[\\w=-]{43}'],
  ['dynatrace-token', '[dD][tT]0[a-zA-Z]\\d{2}\\.[A-Za-z0-9]{24}\\.[A-Za-z0-9]{64}'],
  ['easypost-key', 'EZ[AT]K[A-Za-z0-9]{54}'],
  ['facebook-token', '\\d{15,16}(?:\\||%7[cC])[\\w-]{27}'],
  ['facebook-token', 'EAA[A-Z][A-Za-z0-9]{100,400}'],
  ['figma-token', 'figd_[\\w-]{30,200}'],
  ['flutterwave-key', 'FLW(?:PUBK|SECK)(?:_TEST)?-[0-9a-h]{12,32}(?:-X)?'],
  ['fly-token', 'fo1_[\\w-]{43}'],
  ['fly-token', 'fm[12][ar]?_[A-Za-z0-9+/]{90,2000}={0,3}'],
  ['frameio-token', 'fio-u-[\\w=-]{64}'],
  ['github-token', 'gh[pousr]_[A-Za-z0-9]{36,255}|github_pat_\\w{22,255}', /_.*\d/],
  [
    'gitlab-token',
    'gl(?:pat|dt|rt|rtr|ptt|cbt|ft|ffct|imt|agent|oas|soat|wt)-[\\w-]{20,255}(?:\\.[\\w-]{2,9}(?:\\.[\\w-]{7,20})?)?',
    /-.*\d/,
  ],
  ['gitlab-token', 'GR1348941[\\w-]{20}'],
  ['gitlab-session', '_gitlab_session=[0-9a-z]{32}'],
  ['gocardless-token', 'live_[\\w=-]{40}', /\d.*\d/],
  ['google-key', 'AIza[\\w-]{35}|ya29\\.[\\w-]{20,255}|GOCSPX-[\\w-]{20,255}'],
  ['grafana-token', 'gl(?:sa|c)_[\\w+/=-]{20,400}|eyJrIjoi[A-Za-z0-9]{70,400}={0,3}'],
  ['groq-key', 'gsk_[A-Za-z0-9]{52}'],
  ['harness-key', '[ps]at\\.[\\w-]{22}\\.[0-9A-Za-z]{24}\\.[A-Za-z0-9]{20}'],
  ['heroku-key', 'HRKU-AA[\\w-]{56,62}'],
  ['huggingface-token', 'hf_[A-Za-z0-9]{30,40}|api_org_[A-Za-z0-9]{34}'],
  ['infracost-key', 'ico-[A-Za-z0-9]{32}', /\d/],
  ['intra42-secret', 's-s4t2(?:ud|af)-[a-f0-9]{64}'],
  ['linear-key', 'lin_(?:api|oauth)_\\w{32,128}'],
  ['lob-key', '(?:live|test)_(?:pub_[a-f0-9]{31}|[a-f0-9]{35})'],
  ['mailchimp-key', '[0-9a-f]{32}-us\\d{1,2}'],
  ['mailgun-key', '(?:pub)?key-[0-9a-f]{32}|[a-h0-9]{32}-[a-h0-9]{8}-[a-h0-9]{8}'],
  ['mapbox-token', '[ps]k\\.[A-Za-z0-9]{60,100}\\.[\\w-]{22}'],
  ['maxmind-key', '\\w{6}_\\w{29}_mmk'],
  ['netlify-token', 'nf[pcoub]_[A-Za-z0-9]{36,40}'],
  ['new-relic-key', 'NRAK-[A-Za-z0-9]{27}|NRJS-[a-f0-9]{19}|NRII-[\\w-]{32}'],
  ['notion-token', 'ntn_\\w{40,60}'],
  ['npm-token', 'npm_[A-Za-z0-9]{36}', /\d/],
  ['octopus-key', 'API-[A-Z0-9]{26}', /-.*\d/],
  ['okta-token', '00[\\w=-]{40}', /(?=.*[a-z])(?=.*[A-Z])/],
  ['onepassword-key', 'A3-[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})(?:-[A-Z0-9]{5}){3}'],
  ['onepassword-token', 'ops_eyJ[A-Za-z0-9+/]{100,3000}={0,3}'],
  ['openai-key', 'sk-(?!ant-)[\\w-]{20,255}', /\d/],
  ['openshift-token', 'sha256~[\\w-]{43}'],
  ['perplexity-key', 'pplx-[A-Za-z0-9]{32,60}', /-.*\d/],
  ['plaid-token', 'access-(?:sandbox|development|production)-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}'],
  ['planetscale-token', 'pscale_(?:pw|tkn|oauth)_[\\w=.-]{32,64}'],
  ['postman-key', 'PMAK-[0-9a-f]{24}-[0-9a-f]{34}'],
  ['prefect-token', 'pnu_[A-Za-z0-9]{36}'],
  ['privateai-key', 'p8e-[a-z0-9]{32}', /-.*\d/],
  ['pulumi-token', 'pul-[a-f0-9]{40}'],
  ['pypi-token', 'pypi-[\\w-]{50,400}'],
  ['readme-key', 'rdme_[a-z0-9]{70}'],
  ['replicate-token', 'r8_[A-Za-z0-9]{37,40}'],
  ['rubygems-key', 'rubygems_[0-9a-f]{48}'],
  ['scalingo-token', 'tk-us-[\\w-]{48}'],
  ['sendgrid-key', 'SG\\.[\\w-]{16,32}\\.[\\w-]{30,64}|SG\\.[\\w=.-]{66}'],
  ['sentry-token', 'sntryu_[a-f0-9]{64}|sntrys_[\\w+/=-]{40,400}'],
  ['settlemint-token', 'sm_[aps]at_[A-Za-z0-9]{16}'],
  ['shippo-token', 'shippo_(?:live|test)_[a-fA-F0-9]{40}'],
  ['shopify-token', 'shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}'],
  ['slack-token', '(?:xoxe\\.)?xox[abeoprs]-[\\w-]{10,255}|xapp-\\d-[A-Z0-9]{8,20}-\\d{8,20}-[a-f0-9]{32,80}', /-.*\d/],
  [
    'slack-webhook',
    'hooks\\.slack\\.com/(?:services|workflows|triggers)/(?:\\w{6,20}(?:/\\w{6,24}){1,2}/\\w{16,40}|[\\w+/-]{40,70})',
    /\d/,
  ],
  ['sonar-token', 'sq[pua]_[A-Za-z0-9]{40}'],
  ['sourcegraph-token', 'sgp_(?:[a-fA-F0-9]{16}_|local_)?[a-fA-F0-9]{40}'],
  ['square-token', '(?:sq0atp-|EAAA)[\\w-]{22,60}|sq0csp-[\\w-]{40,44}', /\d/],
  ['stripe-key', '[rs]k_(?:live|test|prod)_[A-Za-z0-9]{16,255}|whsec_[A-Za-z0-9]{24,255}', /_\w+_.*\d|_.*\d/],
  ['supabase-token', 'sbp_[a-f0-9]{40}'],
  [
    'teams-webhook',
    '[a-z0-9]{1,60}\\.webhook\\.office\\.com/webhookb2/[\\w-]{36}@[\\w-]{36}/IncomingWebhook/\\w{32}/[\\w-]{36}',
  ],
  ['telegram-token', '\\d{5,16}:A[\\w-]{34}', /[a-z]/],
  ['terraform-token', '[A-Za-z0-9]{14}\\.atlasv1\\.[\\w=-]{60,70}'],
  ['twilio-key', 'SK[0-9a-f]{32}'],
  ['twitter-token', 'A{22}[A-Za-z0-9%]{80,100}'],
  ['typeform-token', 'tfp_[\\w.=-]{59}'],
  ['vault-token', 'hv[sbr]\\.[\\w-]{20,400}'],
  ['vault-token', 's\\.[A-Za-z0-9]{24}', /(?=.*[a-z])(?=.*[A-Z])(?=.*\d.*\d)/],
  ['vercel-token', 'vc[aciprk]_[A-Za-z0-9]{20,60}'],
  ['xai-key', 'xai-[A-Za-z0-9]{70,90}'],
  ['yandex-key', 'AQVN[\\w-]{35,38}|YC[\\w-]{38}|t1\\.[\\w-]{1,200}={0,2}\\.[\\w-]{86}={0,2}', /\d/],
]

/** Lower-case text that every token of a shape contains: the longest of each alternative. */
export function literalsOf(shape: string): string[] {
  const literals: string[] = []
  let [longest, run] = ['', '']
  const endRun = () => {
    if (run.length > longest.length) longest = run
    run = ''
  }
  for (let at = 0; at < shape.length; at++) {
    const letter = shape[at]!
    if (letter === '[' || letter === '(' || letter === '{' || letter === '?') {
      // Optional and repeated characters count as missing.
      if (letter === '{' || letter === '?') run = run.slice(0, -1)
      endRun()
      at = endOfPart(shape, at)
    } else if (letter === '|') {
      endRun()
      literals.push(longest.toLowerCase())
      longest = ''
    } else if (letter !== '\\') run += letter
    else if (/[dw]/.test(shape[++at]!)) endRun()
    else run += shape[at]!
  }
  endRun()
  return [...literals, longest.toLowerCase()]
}

/** The end of the class, group or repetition that starts here. */
function endOfPart(shape: string, start: number): number {
  if (shape[start] === '?') return start
  if (shape[start] !== '(') return shape.indexOf(shape[start] === '[' ? ']' : '}', start)
  let depth = 0
  for (let at = start; ; at++) {
    if (shape[at] === '\\') at++
    else if (shape[at] === '(') depth++
    else if (shape[at] === ')' && --depth === 0) return at
  }
}

/** Shorter ones occur in many texts. */
const RARE = 4
const RARE_HINTS = TOKEN_SHAPES.map(([, shape]) => literalsOf(shape)).filter(areRare)

function areRare(literals: readonly string[]): boolean {
  return literals.every((literal) => literal.length >= RARE)
}

const anyOf = (shapes: readonly string[]) => new RegExp(`(?:${shapes.join('|')})(?!\\w)`, 'y')
const ANY = once(() => anyOf(TOKEN_SHAPES.map(([, shape]) => shape)))
/** Almost all texts contain none of the words of the other shapes. V8 takes 10 ms to compile all of them. */
const COMMON = once(() => anyOf(TOKEN_SHAPES.map(([, shape]) => shape).filter((shape) => !areRare(literalsOf(shape)))))

/** Every shape begins with this many of these characters. */
const SHORTEST_TOKEN = 15
const LETTERS = lettersOf(/[\w.~/:|%@=+-]/)
/** No shape begins after one of these. */
const INSIDE = lettersOf(/[\w-]/)

/** Tokens that are recognisable by their own shape, whatever surrounds them. */
export function findShapedTokens(text: string, isPossible: HintReader): TextSpan<string>[] {
  const found: TextSpan<string>[] = []
  const shapes = RARE_HINTS.some((literals) => isPossible([literals])) ? ANY() : COMMON()
  let next = 0
  for (const [start, end] of longWords(text, LETTERS, SHORTEST_TOKEN)) {
    for (let at = Math.max(start, next); at <= end - SHORTEST_TOKEN; at++) {
      if (at > 0 && INSIDE[text.charCodeAt(at - 1)] === 1) continue
      shapes.lastIndex = at
      const [token] = shapes.exec(text) ?? []
      if (token === undefined) continue
      next = at + token.length
      const name = shapeOf(token)
      if (name !== undefined) found.push({ kind: name, start: at, end: next })
      at = next - 1
    }
  }
  return found
}

function shapeOf(token: string): string | undefined {
  const [name, , needs] = TOKEN_SHAPES.find(([, shape]) => new RegExp(`^(?:${shape})$`).test(token)) ?? []
  return needs?.test(token) === false || isPlaceholder(token) ? undefined : name
}
