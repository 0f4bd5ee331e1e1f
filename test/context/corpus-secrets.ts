import type { ContentClass } from '../../src/text/sensitive/detect.ts'
import type { Random } from './random.ts'

/** Generates something to detect. Not written out, so that no scanner of this repository reports it. */
export interface Kind {
  contentClass: ContentClass
  kind: string
  /** Its usual label: a JSON key, the name of a variable. */
  labels: readonly string[]
  make(random: Random): string
  /** The part that must not be readable, if not all. */
  part?(value: string): string
  /** Recognisable only as the value of its label. */
  isAssigned?: boolean
  /** Of several lines. */
  isBlock?: boolean
}

const BASE64 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
const join = (...pieces: string[]) => pieces.join('')
const encode = (text: string) => Buffer.from(text).toString('base64url')

function keyBlock(name: string, random: Random): string {
  const lines = Array.from({ length: 8 + random.below(16) }, () => random.text(64, BASE64))
  return [
    join('-----BEG', 'IN ', name, '-----'),
    ...lines,
    random.text(22, BASE64),
    join('-----E', 'ND ', name, '-----'),
  ].join('\n')
}

const secret = (kind: string, labels: string, make: Kind['make'], more: Partial<Kind> = {}): Kind => ({
  contentClass: 'secret',
  kind,
  labels: labels.split(', '),
  make,
  ...more,
})

export const SECRETS: readonly Kind[] = [
  secret(
    'private key',
    'key, deploy_key',
    (random) => keyBlock(join(random.pick(['RSA ', 'EC ', 'OPENSSH ', '', 'ENCRYPTED ']), 'PRIVATE', ' KEY'), random),
    { isBlock: true },
  ),
  secret('pgp key', 'key', (random) => keyBlock(join('PGP PRIVATE', ' KEY BLOCK'), random), { isBlock: true }),
  secret('aws key id', 'AWS_ACCESS_KEY_ID, access key', (random) =>
    join(random.pick(['AK', 'AS']), 'IA', random.text(16, 'ABCDEFGHJKLMNPQRSTUVW234567')),
  ),
  secret(
    'aws secret',
    'AWS_SECRET_ACCESS_KEY, aws_secret_access_key',
    (random) => random.letters(20) + random.text(20, BASE64),
    { isAssigned: true },
  ),
  secret('github', 'GITHUB_TOKEN, token', (random) => join('gh', random.pick([...'pousr']), '_', random.letters(36))),
  secret('github pat', 'pat, token', (random) => join('github', '_pat_', random.letters(22), '_', random.letters(59))),
  secret('gitlab', 'CI_TOKEN, gitlab', (random) => join('gl', 'pat-', random.letters(20))),
  secret('slack', 'SLACK_BOT, slack', (random) =>
    join('xo', 'x', random.pick([...'bpa']), '-', random.digits(12), '-', random.digits(12), '-', random.letters(24)),
  ),
  secret(
    'slack webhook',
    'webhook, url',
    (random) =>
      join(
        'https://hooks.slack',
        '.com/services/T',
        random.text(8, 'ABCDEFGH2345'),
        '/B',
        random.text(8, 'ABCDEFGH2345'),
        '/',
        random.letters(24),
      ),
    { part: (value) => value.replace('https://', '') },
  ),
  secret('npm', 'NPM_TOKEN, npm', (random) => join('np', 'm_', random.letters(36))),
  secret('openai', 'OPENAI_API_KEY, model key', (random) =>
    join('sk', '-proj-', random.letters(74), 'T3Blbk', 'FJ', random.letters(74)),
  ),
  secret('openai old', 'OPENAI_API_KEY, model key', (random) =>
    join('sk', '-', random.letters(20), 'T3Blbk', 'FJ', random.letters(20)),
  ),
  secret('anthropic', 'ANTHROPIC_API_KEY, model key', (random) => join('sk', '-ant-api03-', random.letters(93), 'AA')),
  secret('stripe', 'STRIPE_KEY, billing', (random) => join(random.pick(['sk', 'rk']), '_live_', random.letters(24))),
  secret('google', 'MAPS_KEY, key', (random) => join('AI', 'za', random.letters(35))),
  secret('google oauth', 'client, secret', (random) => join('GOC', 'SPX-', random.letters(28))),
  secret('jwt', 'session, id_token', (random) =>
    [
      encode('{"alg":"HS256","typ":"JWT"}'),
      encode(`{"sub":"${random.digits(10)}","iat":${random.digits(10)}}`),
      random.text(43, BASE64.slice(0, 62)),
    ].join('.'),
  ),
  secret('sendgrid', 'SENDGRID_KEY, mail key', (random) =>
    join('S', 'G.', random.letters(22), '.', random.letters(43)),
  ),
  secret('hugging face', 'HF_TOKEN, hub', (random) =>
    join('h', 'f_', random.text(34, 'abcdefghijkmnopqrstuvwABCDEFGHIJKLMN')),
  ),
  secret('digitalocean', 'DO_TOKEN, cloud', (random) => join('do', 'p_v1_', random.hex(64))),
  secret('pypi', 'TWINE, pypi', (random) => join('py', 'pi-AgEIcHlwaS5vcmc', random.letters(120))),
  secret('docker', 'hub, docker', (random) => join('dck', 'r_pat_', random.letters(27))),
  secret('vault', 'VAULT_TOKEN, vault', (random) => join('hv', 's.', random.letters(90))),
  secret('telegram', 'BOT, bot', (random) =>
    join(String(1 + random.below(9)), random.digits(8), ':A', 'A', random.letters(33)),
  ),
  secret('databricks', 'DATABRICKS, lake', (random) => join('da', 'pi', random.hex(32))),
  secret('shopify', 'SHOP, shop', (random) => join('shp', 'at_', random.hex(32))),
  secret('grafana', 'GRAFANA, board', (random) => join('gl', 'sa_', random.letters(32), '_', random.hex(8))),
  secret('age key', 'AGE, age', (random) =>
    join('AGE-SECRET', '-KEY-1', random.text(58, 'ACDEFGHJKLMNPQRSTUVW023456789')),
  ),
  secret('figma', 'FIGMA, design', (random) => join('fi', 'gd_', random.letters(40))),
  secret('linear', 'LINEAR, tracker', (random) => join('lin', '_api_', random.letters(40))),
]

const PASSWORD = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789!#%^*_+-=?@$&.:/~'
const password = (random: Random) =>
  `${random.text(1, PASSWORD)}${random.text(8 + random.below(8), PASSWORD)}${random.digits(1)}`

const lastWord = (value: string) => value.slice(value.lastIndexOf(' ') + 1)

const credential = (kind: string, labels: string, make: Kind['make'], more: Partial<Kind> = {}): Kind => ({
  ...secret(kind, labels, make, more),
  contentClass: 'credential',
})

export const CREDENTIALS: readonly Kind[] = [
  credential('password', 'password, DB_PASSWORD, passwd, db_pwd, adminPassword', password, { isAssigned: true }),
  credential(
    'api key',
    'api_key, apiKey, X_API_KEY, secret_key, client_secret, clientSecret',
    (random) => random.letters(24 + random.below(20)),
    { isAssigned: true },
  ),
  credential('hex key', 'api_key, SECRET_KEY, encryption_secret', (random) => `a1${random.hex(30)}`, {
    isAssigned: true,
  }),
  credential('token', 'token, access_token, auth_token, DEPLOY_TOKEN, refreshToken', (random) => random.letters(32), {
    isAssigned: true,
  }),
  credential(
    'storage key',
    'AccountKey, account_key',
    (random) => `${random.letters(40)}${random.text(46, BASE64)}==`,
    { isAssigned: true },
  ),
  credential('bearer header', 'header, request', (random) => join('Authorization: Bear', 'er ', random.letters(40)), {
    part: lastWord,
  }),
  credential(
    'basic header',
    'header, request',
    (random) => join('Authorization: Bas', 'ic ', Buffer.from(`deploy:${random.letters(14)}`).toString('base64')),
    { part: lastWord },
  ),
  credential(
    'url password',
    'database, remote',
    (random) =>
      join(
        random.pick(['postgres', 'mysql', 'mongodb+srv', 'redis', 'https', 'amqp']),
        '://svc_',
        random.text(5, 'abcdef'),
        ':',
        random.letters(14),
        '@db-',
        random.digits(2),
        '.prod-host.io/main',
      ),
    { part: (value) => value.replace(/^.*:(.*)@.*$/, '$1') },
  ),
]
