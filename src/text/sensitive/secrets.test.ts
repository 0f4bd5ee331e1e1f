import { describe, expect, it } from 'vitest'
import { findSecretSpans } from './secrets.ts'

// Put together here, so that no scanner of this repository takes an example for a leak.
const LETTERS = 'q7Rk2mZx9LbV4tHs8WnJc3PdF6yGa5Eu1TiQo0KwXr2Bv7Nh4Mz9Sj6Lg3Ae8Df5Ct1Yu0Rp7Wq2'
const HEX = '9f3a7c1e5b08d246f1c9e7a3b5d0428691fe3c7ab2d8504e6f1a9c3b7e5d0248'.repeat(3)
const r = (length: number) => LETTERS.slice(0, length)
const hex = (length: number) => HEX.slice(0, length)
const join = (...pieces: string[]) => pieces.join('')

const shown = (text: string) => {
  const spans = findSecretSpans(text).sort((a, b) => a.start - b.start)
  return [...new Set(spans.map(({ start, end }) => text.slice(start, end)))]
}

const TOKENS: [kind: string, token: string][] = [
  ['aws-access-key', join('AK', 'IAQ7RK2MZX9LBV4THS')],
  ['azure-secret', join('q7R', '8Q', '~', r(34))],
  ['brevo-key', join('xkey', 'sib-', hex(64), '-', r(16))],
  ['discord-token', join('MTk4', r(21), '.', 'Cl2FMQ', '.', r(30))],
  ['doppler-token', join('dp.', 'pt.', r(43))],
  ['github-token', join('gh', 'p_', r(36))],
  ['gitlab-token', join('gl', 'cbt-', r(5), '_', r(20))],
  ['gitlab-token', join('gl', 'agent-', r(50))],
  ['heroku-key', join('HR', 'KU-AA', r(58))],
  ['huggingface-token', join('api', '_org_', r(34))],
  ['perplexity-key', join('pp', 'lx-', r(48))],
  ['planetscale-token', join('pscale', '_tkn_', r(40))],
  ['sentry-token', join('sntr', 'yu_', hex(64))],
  ['slack-webhook', join('hooks.slack', '.com/workflows/T016M3G1GHZ/A04J3BAF7AA/442660231806210747/', r(24))],
  ['anthropic-key', join('sk-', 'ant-admin01-', r(12), 'fake-', r(40))],
]

it.each(TOKENS)('%s is known by its shape: %s', (kind, token) => {
  for (const text of [token, `The value is ${token} for now.`, `a="${token}";`, `?t=${token}&q=1`]) {
    const span = findSecretSpans(text).find((each) => each.kind === kind)
    expect(text.slice(span?.start, span?.end)).toBe(token)
  }
})

const V = r(24)
const PASSWORD = join('hun', 'ter22', 'x')
const NAMED: [text: string, secret: string][] = [
  [`<acmeToken>\n  ${V}\n</acmeToken>`, V],
  [`System.setProperty("ACME_TOKEN", "${V}")`, V],
  [`ACME_TOKEN ?= "${V}"`, V],
  [`ACME_TOKEN :::= "${V}"`, V],
  [`$acmeToken .= "${V}"`, V],
  [`var acmeToken string = "${V}"`, V],
  [`const acmeToken: string = '${V}'`, V],
  [`"credentials" : "${hex(40)}"`, hex(40)],
  [`ACME_KEY = "${hex(8)}-1b2c-3d4e-5f60-${hex(12)}"`, `${hex(8)}-1b2c-3d4e-5f60-${hex(12)}`],
  [`<add key="Password" value="${PASSWORD}" />`, PASSWORD],
  [`- name: ACME_TOKEN\n  value: "${V}"`, V],
  [`curl -u jo:${PASSWORD} https://acme.dev`, PASSWORD],
  [`curl -s \\\n  --user "jo:${PASSWORD}" https://acme.dev`, PASSWORD],
  [`-H "Authorization: Token ${hex(40)}"`, hex(40)],
  [`-H "Authorization: ${hex(40)}"`, hex(40)],
  [
    `apiVersion: v1\nkind: Secret\ndata:\n  extra: YWRtaW46cGFzc3dvcmQ=\nmetadata:\n  name: mysecret`,
    'YWRtaW46cGFzc3dvcmQ=',
  ],
]

it.each(NAMED)('what stands around it tells: %s', (text, secret) => {
  expect(shown(text)).toEqual([secret])
})

const PROSE: [sentence: string, secret: string][] = [
  ['The service key is *.', V],
  ['token for staging is *', V],
  ['The key the vendor sent last night is *', V],
  ['the token, which expires in March, is *', V],
  ['API key (staging): `*`', V],
  ['shared secret -> *', V],
  ['Old key (*) must be removed', V],
  ['* is our billing key', V],
  ['We use * as the admin password.', V],
  ['The API key is:\n\n*', V],
  ['Der API-Schlüssel lautet *', V],
  ['my password is * but keep it', PASSWORD],
  ['I set the password to "*"', join('Fal', 'con123')],
  ['The passphrase of the backup is *', join('River', '-Maple-42')],
  ['the token is *', join('q7R', '!mZx$9')],
  ['The signing secret is *', 'qRkmZxLbVtHsWnJcPdFyGaEu'],
  ['Le mot de passe est *', PASSWORD],
  ['Пароль: *', PASSWORD],
  ['密码是 *', PASSWORD],
]

it.each(PROSE)('a sentence names it: %s', (sentence, secret) => {
  expect(shown(`Notes.\n\n${sentence.replace('*', () => secret)}\n\nMore.`)).toEqual([secret])
})

describe('no secret', () => {
  const rows = [
    // Placeholders.
    join('gh', 'p_', 'x'.repeat(36)),
    join('AK', 'IAIOSFODNN7', 'EXAMPLE'),
    join('AK', 'IA', 'X'.repeat(16)),
    join('xo', 'xb-xxxxxxxxx-xxxxxxxxxx-xxxxxxxxxxxx'),
    join('gl', 'pat-your-token-goes-here-1'),
    join('-----BEGIN PRIV', 'ATE KEY-----\nanything\n-----END PRIVATE KEY-----'),
    join('-----BEGIN PRIV', 'ATE KEY-----\n$', '{pem}\n-----END PRIVATE KEY-----'),
    'curl -u name:password https://acme.dev',
    'curl -u <user:password> https://acme.dev',
    'curl -u "$USER:$PASS" https://acme.dev',
    'https://jo:koala7x@proxy.example.com',
    // Code.
    'token = getToken()',
    'password: string',
    'secret: Option<Vec<u8>>,',
    'let secret: Vec<u8> = read()',
    'secret: Uint8Array',
    'token: newToken2,',
    'password = user.password2',
    'const token: string = await sign(payload2)',
    'if (token == abcdef1234567890) {',
    'activeToken: "inactive-user-2-token"',
    "ForgotPassword: 'forgot-password'",
    "apiKey: 'my-public-api-key'",
    `publicKey = "${V}"`,
    `credentialsId: '${hex(8)}-1b2c-3d4e-5f60-${hex(12)}'`,
    'docker run -u 1000:1000 alpine',
    '["password", "current-password"]',
    '| token | @auth0/auth0-acul-react/signup-password2 |',
    'https://indieweb.org/images/2018-250-xoxo-indieweb-1.jpg',
    's.someMethodNameOfTwentyFourX()',
    'authorization: request.headers.authorization2',
    // Sentences.
    'The key is stored in config/keys-v2.json and the token is short-lived.',
    join('The password is YOUR_PASSWORD_1 or <password1>, the key is $', '{API_KEY2}'),
    'The default key is `max_tokens_2`, the token type is `oauth2-bearer`.',
    'The password must be at least 12characters, the token is valid for 3600s',
    'The secret was added in v2.14.0-beta1, on 2024-03-01T10:00Z',
    'The token is passed to createTokenV2 and the password to hashPassword2',
    'The password field is `inputField2A`; the password page is https://acme.dev/reset1',
    `The public key is ${V}`,
    `The primary key is ${hex(32)}`,
    `The key fingerprint is ${hex(40)}`,
    `The key was added in commit ${hex(40)}`,
    `The key is 9F:3A:7C:1E:5B:08:D2:46:F1`,
    `The cache key is ${hex(32)}`,
    'Press the key Ctrl+Alt+F12 to save',
  ]
  it.each(rows)('%s', (text) => {
    expect(shown(text)).toEqual([])
  })
})
