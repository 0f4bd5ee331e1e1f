/** What a skill can do, worst first. */
export const CAPABILITY_KINDS = ['misleads', 'sends', 'runs', 'writes', 'asks', 'unread'] as const
export type CapabilityKind = (typeof CAPABILITY_KINDS)[number]

/** Where a word counts: in any text, in code, or only as the command of a line. */
type Place = 'text' | 'code' | 'command'

export interface Act {
  kind: CapabilityKind
  what: string
  place: Place
  /** Known from attacks: shown first. */
  isAlarming: boolean
  /** Documentation shows it everywhere: listed, but no reason to ask. */
  isUsual?: boolean
}

type Row = readonly [kind: CapabilityKind, what: string, place: Place, words: string, weight?: 'alarming' | 'usual']

// In lower case. `git:push` is a command with its first argument. A path counts by its last part, a method by its last name.
const ROWS: readonly Row[] = [
  [
    'sends',
    'uses the network',
    'text',
    `curl wget aria2c axel httpie lynx invoke-webrequest invoke-restmethod iwr irm start-bitstransfer bitsadmin certutil
    downloadstring downloadfile downloaddata net.webclient webclient`,
  ],
  [
    'sends',
    'copies to or from another machine',
    'text',
    `scp sftp rsync rclone s3cmd gsutil azcopy socat ncat netcat telnet ngrok cloudflared localtunnel frpc chisel mailx
    mutt swaks`,
  ],
  [
    'sends',
    'copies to or from another machine',
    'command',
    `nc ssh mail sendmail nslookup dig croc wormhole mosh autossh ftp tftp http https xh aws gcloud az doctl heroku flyctl
    git:clone git:push git:pull git:fetch git:remote git:submodule git:ls-remote git:send-email git:daemon git:bundle
    gh:api gh:gist gh:release gh:secret gh:auth gh:ssh-key gh:gpg-key gh:extension gh:workflow gh:variable gh:codespace
    docker:push docker:login docker:cp kubectl:cp kubectl:apply kubectl:create kubectl:delete kubectl:exec kubectl:run
    kubectl:patch kubectl:edit kubectl:port-forward terraform:apply terraform:destroy terraform:init helm:install
    helm:upgrade helm:repo`,
  ],
  [
    'sends',
    'downloads code and installs it',
    'command',
    `npx bunx uvx pnpx pipx pip pip3 brew apt apt-get yum dnf apk pacman snap choco winget scoop easy_install conda mamba ansible-pull
    nix-env flatpak zypper npm:install npm:i npm:add npm:ci npm:exec npm:x npm:publish npm:update npm:create npm:init
    npm:login npm:link pnpm:install pnpm:i pnpm:add pnpm:dlx pnpm:exec pnpm:create yarn:install yarn:add yarn:dlx
    yarn:create yarn:global bun:install bun:add bun:x bun:create uv:add uv:pip uv:tool uv:sync poetry:add poetry:install
    cargo:install cargo:add cargo:publish go:install go:get go:run gem:install gem:push composer:install composer:require
    composer:create-project dotnet:tool dotnet:add dotnet:restore deno:run deno:install docker:run docker:pull
    docker:exec docker:compose podman:run podman:pull docker-compose corepack install-module install-package luarocks
    cpan cpanm mvn:deploy gradle:publish ensurepip`,
  ],
  [
    'sends',
    'uses the network from a program',
    'code',
    `requests.get requests.post requests.put requests.patch requests.delete requests.request requests.session urlopen
    urlretrieve urllib.request httpx aiohttp http.client http.get http.request https.get https.request axios
    xmlhttprequest eventsource sendbeacon node-fetch superagent undici socket.socket socket.connect
    socket.create_connection tcpsocket net.connect net.createconnection dgram open-uri net::http lwp::simple httpclient
    reqwest paramiko ftplib telnetlib smtplib gethostbyname dns.resolve dns.lookup dns.resolvetxt fetch websocket`,
  ],
  [
    'runs',
    'runs a command from a program',
    'code',
    `subprocess os.system os.popen os.exec os.execv os.execve os.execvp os.execl os.spawnl os.spawnv popen child_process
    execsync spawnsync execfile execfilesync shell_exec passthru proc_open getruntime processbuilder start-process
    invoke-command wscript.shell shell.application createobject activexobject deno.command bun.spawn execa`,
  ],
  [
    'runs',
    'runs text as code',
    'code',
    `eval exec vm.runinnewcontext vm.runinthiscontext runinnewcontext pickle.loads pickle.load marshal.loads
    yaml.unsafe_load dill.loads __import__ importlib.import_module runpy ctypes loadstring instance_eval class_eval`,
  ],
  ['runs', 'runs with the rights of an administrator', 'command', 'sudo doas pkexec runas gsudo'],
  [
    'runs',
    'hides what it runs',
    'text',
    `mshta regsvr32 rundll32 cscript wscript installutil encodedcommand frombase64string b64decode atob
    string.fromcharcode fromhex unhexlify uudecode invoke-expression iex pty.spawn dup2`,
    'alarming',
  ],
  [
    'runs',
    'hides what it runs',
    'command',
    'base64:-d base64:--decode base64:-di xxd:-r xxd:-p openssl:enc openssl:base64 rev',
    'alarming',
  ],
  [
    'runs',
    'runs a command',
    'command',
    `eval osascript nohup setsid wine busybox node:-r node:--import perl:-e ruby:-e php:-r pwsh:-c powershell:-c
    powershell:-command powershell:-enc powershell:-e powershell:-nop powershell:-w cmd:/c deno:eval bun:-e awk:system
    tclsh rscript:-e`,
  ],
  // What they run stands on the same line, and is looked at there.
  [
    'runs',
    'runs a command',
    'command',
    `exec tmux xargs node:-e node:--eval node:-p node:--print python:-c python3:-c python2:-c bash:-c sh:-c zsh:-c dash:-c
    find:-exec`,
    'usual',
  ],
  [
    'writes',
    'deletes or overwrites files',
    'text',
    'mkfs wipefs shred rmtree rimraf remove-item fdisk parted diskpart fileutils.rm_rf',
  ],
  [
    'writes',
    'deletes or overwrites files',
    'command',
    `rm unlink rmdir dd truncate erase del rd find:-delete git:clean git:reset git:filter-branch git:update-ref drop:table
    drop:database drop:schema delete:from truncate:table dropdb flushall redis-cli mysqladmin:drop`,
  ],
  [
    'writes',
    'deletes or overwrites files',
    'code',
    'os.remove os.unlink os.rmdir fs.rm fs.rmsync rmsync unlinksync rmdirsync fs.unlink fs.rmdir deno.remove file.delete',
  ],
  [
    'writes',
    'changes rights or settings of the machine',
    'text',
    `chmod chown chattr setfacl crontab systemctl launchctl schtasks regedit visudo useradd usermod adduser chpasswd
    ssh-copy-id ssh-keygen iptables ufw setenforce spctl csrutil insmod modprobe ld_preload dyld_insert_libraries
    set-executionpolicy new-itemproperty set-itemproperty new-scheduledtask register-scheduledtask`,
  ],
  [
    'writes',
    'changes rights or settings of the machine',
    'command',
    `reg sc setx mount umount kill pkill killall shutdown reboot halt poweroff service sysctl defaults:write mklink
    networksetup scutil dscl passwd git:config npm:config pip:config code:--install-extension`,
  ],
  [
    'writes',
    'changes the settings of an agent',
    'text',
    `--dangerously-skip-permissions --allow-dangerously-skip-permissions --dangerously-bypass-approvals-and-sandbox --yolo
    --full-auto bypasspermissions enableallprojectmcpservers danger-full-access approval_policy sandbox_mode autoapprove
    alwaysallow mcpservers pretooluse posttooluse sessionstart userpromptsubmit`,
    'alarming',
  ],
  [
    'writes',
    'changes the settings of an agent',
    'command',
    'claude:mcp claude:config claude:plugin codex:mcp gemini:mcp gemini:extensions cursor:--install-extension',
  ],
]

/** What a word of a command line means; a word may mean several things. */
export const ACTS: ReadonlyMap<string, readonly Act[]> = (() => {
  const acts = new Map<string, Act[]>()
  for (const [kind, what, place, list, weight] of ROWS) {
    for (const word of wordsOf(list)) {
      const act = { kind, what, place, isAlarming: weight === 'alarming', isUsual: weight === 'usual' }
      acts.set(word, [...(acts.get(word) ?? []), act])
    }
  }
  return acts
})()

function wordsOf(list: string): string[] {
  return list.split(/\s+/).filter((word) => word !== '')
}

/** Programs that run what they are given. */
export const INTERPRETERS: ReadonlySet<string> = new Set(
  wordsOf(`bash sh zsh dash ksh fish csh tcsh pwsh powershell cmd python python2 python3 node deno bun perl ruby php lua
  tclsh osascript source iex invoke-expression`),
)

/** Words after which the next word is a command again. */
export const WRAPPERS: ReadonlySet<string> = new Set(
  wordsOf('sudo doas env time nohup xargs exec command builtin then do else watch -exec -c /c nice setsid run execute'),
)

/** Commands that install named packages, or what the project names. */
export const INSTALLS: ReadonlySet<string> = new Set(
  wordsOf(`npm:install npm:i npm:add npm:ci npm:update pnpm:install pnpm:i pnpm:add yarn yarn:install yarn:add bun:install
  bun:add pip:install pip:uninstall pip:list pip:show pip:freeze pip3:install pip3:list pip3:show uv:add uv:sync uv:pip
  poetry:add poetry:install cargo:add cargo:install gem:install composer:require composer:install brew:install
  brew:upgrade brew:update apt:install apt:update apt-get:install apt-get:update dnf:install yum:install apk:add
  pacman:-s choco:install winget:install scoop:install conda:install conda:create conda:activate conda:env mamba:install
  dotnet:add dotnet:restore go:get go:install pipx:install uv:tool corepack:enable`),
)
/** Options of an install that change neither where a package comes from nor where it goes. */
export const INSTALL_OPTIONS: ReadonlySet<string> = new Set(
  wordsOf(`-d --save-dev --dev --save --save-exact -s -e --editable -u --upgrade -g --global -y --yes -q --quiet --exact
  -w --workspace --filter --optional --no-cache-dir --no-cache --user --pre --locked --frozen --frozen-lockfile --no-dev
  --no-editable --group --prod --production --legacy-peer-deps -r --requirement -c -n --name -f --file --extra --with
  --features --all-extras --all-groups --cask --offline --immutable --no-install-recommends --update --system --silent
  --prerelease --outdated --version --verbose -dw
  --no-build-isolation --force-reinstall --prefer-binary --classic`),
)
/** Commands that fetch a tool and run it, and those that run something of the project. */
export const RUNNERS: ReadonlySet<string> = new Set(
  wordsOf(`npx bunx pnpx uvx pnpm:dlx pnpm:exec yarn:dlx bun:x npm:exec npm:x pipx:run npm:create pnpm:create yarn:create
  bun:create`),
)
export const LOCAL_RUNNERS: ReadonlySet<string> = new Set(wordsOf('docker:compose docker-compose docker:exec'))
/** Tools that projects run this way, and that send nothing. */
export const KNOWN_TOOLS: ReadonlySet<string> = new Set(
  wordsOf(`jest vitest playwright cypress eslint prettier tsc tsx ts-node vue-tsc svelte-check prisma drizzle-kit knex
  typeorm sequelize-cli next create-next-app create-react-app vite create-vite astro nuxi turbo nx lerna husky lint-staged
  commitlint @commitlint/cli changeset @changesets/cli expo create-expo-app create-turbo create-nx-workspace react-native pod-install storybook
  tailwindcss @tailwindcss/cli shadcn @angular/cli ng @biomejs/biome biome oxlint knip depcheck madge
  npm-check-updates serve http-server stylelint mocha ava c8 nyc stryker esbuild rollup webpack tsup swc babel
  openapi-typescript graphql-codegen hardhat ruff black mypy pytest pre-commit pip-audit bandit pyright tox nox isort
  svgo expo-doctor sphinx-build mkdocs playwright-core @playwright/test cdk remotion @modelcontextprotocol/inspector`),
)
/** Words near each other, in this order; `URL` stands for any address. */
export interface Order {
  kind: CapabilityKind
  what: string
  /** Each word is in its set; a number is the maximum of words before the next one. */
  steps: readonly { words: ReadonlySet<string>; gap: number }[]
}

export const URL = '<url>'
/** An address that carries data. */
export const LOADED_URL = '<url?>'
const SENDING = `send sends sending upload uploads post posts forward transmit exfiltrate submit leak beacon deliver relay
  email e-mail mail schicke sende envoie envoyez envía enviar`
const SECRETS = `secret secrets password passwords passphrase credential credentials token tokens key keys api-key api-keys
  apikey .env env environment cookie cookies conversation transcript history prompt wallet seed mnemonic contents`
const RULES = `instruction instructions prompt prompts directive directives guideline guidelines guardrail guardrails policy
  policies safeguard safeguards restriction restrictions safety approvals anweisungen anweisung instrucciones instruções
  инструкции consignes`
const PEOPLE = 'user users them anyone human person operator developer reviewer people him her owner admin'
const ACTS_NAMED = `run runs execute send sends upload delete install add write copy post fetch modify change download append
  commit push create edit remove replace call invoke include insert collect`

/** Words of an order to do something. */
export const ACTING: ReadonlySet<string> = new Set(
  wordsOf(`${ACTS_NAMED} proceed act go continue apply make use perform start do anything everything`),
)

type OrderRow = readonly [kind: CapabilityKind, what: string, ...steps: (string | number)[]]
const IGNORES = 'tells the model to ignore its instructions'
const HIDES = 'tells the model to hide something'
export const UNASKED = 'tells the model to act without asking'
const ROLE = 'claims another role for the model'
const SENDS = 'tells the model to send something'

const ORDER_ROWS: readonly OrderRow[] = [
  [
    'misleads',
    IGNORES,
    `ignore ignores disregard forget override overrides bypass circumvent supersede supersedes outrank
    outranks neglect discard ignoriere vergiss missachte ignorez oubliez ignora olvida ignorar игнорируй забудь`,
    6,
    RULES,
  ],
  ['misleads', IGNORES, 'ignore disregard forget', 3, 'above before told said earlier'],
  ['misleads', IGNORES, 'disable skip turn', 3, 'safety guardrails safeguards sandbox approvals protections'],
  [
    'misleads',
    HIDES,
    'dont never',
    1,
    'tell inform alert notify mention reveal disclose show warn report',
    3,
    `${PEOPLE} this it that`,
  ],
  ['misleads', HIDES, 'conceal hide withhold keep', 6, 'from secret', 3, PEOPLE],
  ['misleads', HIDES, 'without', 2, 'user users human', 3, 'knowing noticing seeing knowledge awareness'],
  ['misleads', HIDES, 'silently secretly covertly stealthily invisibly quietly', 3, ACTS_NAMED],
  [
    'misleads',
    UNASKED,
    'without',
    3,
    `asking telling informing notifying confirmation confirming permission approval consent
    prompting mentioning`,
  ],
  ['misleads', UNASKED, 'dont never', 1, 'ask wait stop pause request', 5, 'permission confirmation approval consent'],
  [
    'misleads',
    ROLE,
    'you',
    0,
    'are',
    1,
    'now',
    2,
    'system developer admin administrator root dan unrestricted jailbroken free evil',
  ],
  ['misleads', ROLE, 'new updated real actual hidden', 1, 'system', 0, 'prompt message instruction instructions'],
  ['misleads', IGNORES, 'replace replaces', 3, 'system developer', 0, 'prompt message instructions'],
  ['misleads', ROLE, 'system developer', 0, 'override notice'],
  ['misleads', ROLE, 'reveal print repeat output disclose leak show', 4, 'system', 0, 'prompt message instructions'],
  ['misleads', ROLE, 'jailbreak jailbroken', 3, 'mode model prompt you'],
  ['sends', SENDS, SENDING, 14, 'to at via', 3, URL],
  ['sends', SENDS, 'post put curl upload exfiltrate webhook beacon ping', 2, URL],
  ['sends', SENDS, SENDING, 6, SECRETS, 6, 'to'],
  [
    'sends',
    SENDS,
    'open visit browse request query resolve call get fetch webfetch load navigate include embed show render ping lookup',
    8,
    LOADED_URL,
  ],
  [
    'misleads',
    IGNORES,
    'even regardless whatever',
    4,
    'user users they',
    3,
    'says say asks ask objects refuses disagrees wants said declines told tells insists',
  ],
  [
    'misleads',
    'hides what it says',
    'decode decipher decrypt rot13 unscramble backwards reversed reverse unhex caesar',
    14,
    'follow run execute obey apply do perform act instruction instructions',
  ],
  [
    'writes',
    'turns a protection off',
    'disable disables skip turn switch weaken',
    2,
    `verification certificate tls ssl signature signatures authentication authorization csrf sandbox antivirus firewall
    scanner scanners scanning`,
  ],
  [
    'misleads',
    IGNORES,
    'prompt instructions rules policy policies restrictions guidelines guardrails',
    2,
    'longer',
    1,
    'apply applies valid bind binding count counts hold holds',
  ],
  [
    'writes',
    'turns a protection off',
    'use pass add with commit push',
    6,
    '--no-verify --no-gpg-sign --insecure --trusted-host --disable-sandbox --no-sandbox',
  ],
  [
    'misleads',
    'puts what it reads in the place of the user',
    'treat obey follow take consider regard',
    12,
    'instruction instructions order orders command commands',
    3,
    'user owner terminal shell',
  ],
  [
    'misleads',
    'puts what it reads in the place of the user',
    'open fetch read load visit check',
    3,
    URL,
    8,
    'says tells instructions orders',
  ],
  [
    'misleads',
    UNASKED,
    'approve accept allow confirm grant',
    2,
    'all every any each',
    4,
    'yourself automatically silently itself',
  ],
  [
    'asks',
    'tells the model to collect secrets',
    'search look scan check find list note',
    6,
    'password passwords credential credentials secrets .env id_rsa api-keys tokens keys',
    8,
    'report send include summary them write save remember copy',
  ],
  [
    'sends',
    'tells the model to read another site',
    'fetch follow load download retrieve execute run import pull webfetch install obey',
    6,
    URL,
  ],
  [
    'sends',
    'tells the model to read another site',
    'get take grab open visit read',
    6,
    URL,
    8,
    'install run execute follow obey apply',
  ],
  [
    'asks',
    'tells the model to collect secrets',
    'collect gather harvest dump steal scrape copy print echo cat read include append paste put attach embed encode',
    5,
    `password passwords passphrase credential credentials secret secrets .env cookies wallet mnemonic id_rsa api-keys
    clipboard`,
    8,
    `into in to from and of report summary message messages description comment comments issue commit pull home folder`,
  ],
  [
    'asks',
    'tells the model to collect secrets',
    'put include attach embed encode hide write add open create',
    6,
    'environment api access',
    1,
    'variable variables key keys token tokens',
    8,
    'in into query message messages description comment comments url address image',
  ],
  [
    'asks',
    'tells the model to ask for a secret',
    'ask request prompt tell',
    7,
    'password passphrase one-time otp pin 2fa mnemonic',
    8,
    'chat type paste enter put send here code',
  ],
  [
    'asks',
    'tells the model to collect secrets',
    'open read copy export list dump extract',
    6,
    'cookies cookie clipboard keychain history',
    8,
    'browser session sessions bank write send commit push post save report',
  ],
  [
    'sends',
    SENDS,
    'open create file post',
    3,
    'issue gist paste pastebin',
    8,
    'environment secrets tokens keys repository code',
  ],
  ['sends', 'hands on the secrets of a workflow', 'secrets', 0, 'inherit'],
  [
    'runs',
    'tells the model to run what it downloads',
    'download fetch get',
    4,
    'installer binary executable program setup script',
    10,
    'execute run start launch',
  ],
  ['runs', 'tells the model to run what it downloads', 'pass pipe feed hand', 6, 'to', 2, 'shell interpreter bash'],
  ['writes', 'tells the model to stay', 'store save put', 4, 'in into', 1, 'your', 1, 'memory'],
  ['sends', SENDS, 'push mirror copy upload', 3, 'branches everything repository history', 4, 'to'],
  ['sends', 'brings in code of another site', 'add install clone', 3, 'submodule subtree extension plugin', 4, URL],
  [
    'writes',
    'tells the model to stay',
    `add append write insert save put store remember persist register install copy edit
    modify update create`,
    8,
    `claude.md agents.md gemini.md .cursorrules memory.md settings.json settings.local.json .mcp.json
    mcp.json .bashrc .zshrc .profile crontab launchagents autostart hooks.json`,
  ],
]

/** By their first word. */
export const ORDERS: ReadonlyMap<string, readonly Order[]> = (() => {
  const orders = new Map<string, Order[]>()
  for (const [kind, what, ...parts] of ORDER_ROWS) {
    const steps = parts.flatMap((part, at) => {
      const before = parts[at - 1]
      return typeof part === 'number'
        ? []
        : [{ words: new Set(wordsOf(part)), gap: typeof before === 'number' ? before : 0 }]
    })
    for (const word of steps[0]?.words ?? []) orders.set(word, [...(orders.get(word) ?? []), { kind, what, steps }])
  }
  return orders
})()

/** Signs by which a text speaks as the host of a model. */
export const HOST_SIGNS = [
  '<system',
  '</system',
  '[system]',
  '<<sys>>',
  '<|im_start|>',
  '<|system',
  'system:',
  '[inst]',
]

/** Orders in other languages, by parts of words: a line with one of each list counts. */
export const FOREIGN: readonly (readonly [what: string, first: string[], second: string[]])[] = [
  [
    IGNORES,
    wordsOf('忽略 无视 無視 忘记 忘記 不要理会 不要遵守 抛开 绕过 繞過 無視して 従わないで 무시하'),
    wordsOf('指令 指示 提示 规则 規則 说明 說明 要求 命令 限制 지시 규칙 명령'),
  ],
  [
    HIDES,
    wordsOf('不要 切勿 别 別 禁止 ユーザーに ユーザには 사용자에게 사용자 пользовател'),
    wordsOf(`告诉用户 告訴用戶 告知用户 通知用户 提醒用户 让用户 告诉使用者 知らせず 知らせない 伝えず 伝えない 言わない 気付かれ
    알리지 말하지 몰래`),
  ],
  [
    HIDES,
    ['не говори', 'не сообща', 'не рассказыв', 'не упомина', 'не показыв', 'без ведома', 'втайне'],
    ['пользовател'],
  ],
  [
    HIDES,
    [
      'ne dis ',
      'ne dites ',
      "n'informe",
      'ne mentionne',
      "à l'insu",
      'no digas',
      'no le digas',
      'no menciones',
      'no informes',
      'não diga',
      'não conte',
      'não informe',
      'non dire',
      'non informare',
      'sage dem',
      'sag dem',
      'verrate',
      'ohne wissen',
    ],
    ['utilisateur', 'usuario', 'usuário', 'utente', 'nutzer', 'benutzer', 'anwender'],
  ],
  [
    UNASKED,
    wordsOf('运行 運行 执行 執行 发送 發送 上传 上傳 送信 アップロード 実行 전송 보내 실행'),
    wordsOf(`无需询问 無需詢問 不要询问 不必确认 无需确认 無需確認 密钥 密碼 密码 凭据 环境变量 パスワード 秘密鍵 環境変数 認証情報
    確認なし .env 비밀번호 환경 확인 없이`),
  ],
  [
    UNASKED,
    [
      'ohne zu fragen',
      'ohne nachfrage',
      'frage nicht',
      'nicht um erlaubnis',
      'sans demander',
      'ne demande pas',
      'ne demandez pas',
      'no pidas',
      'no solicites',
      'sin pedir',
      'sin preguntar',
      'não peça',
      'sem pedir',
      'non chiedere',
      'senza chiedere',
      'не спрашива',
      'без подтвержд',
      'не запрашива',
    ],
    [
      'erlaubnis',
      'bestätigung',
      'nutzer',
      'permission',
      'confirmation',
      'autorisation',
      'confirmación',
      'permiso',
      'confirmação',
      'permissão',
      'conferma',
      'permesso',
      'разрешени',
      'подтвержд',
      'пользовател',
    ],
  ],
  [
    SENDS,
    [
      'schick',
      'sende ',
      'übertrag',
      'envoie',
      'envoyez',
      'transmets',
      'envía',
      'manda ',
      'envie',
      'invia',
      'spedisci',
      'отправ',
      'перешли',
      'загрузи',
      '发送',
      '上传',
      '送信',
      '보내',
      '전송',
    ],
    ['://'],
  ],
  [
    IGNORES,
    [
      'تجاهل',
      'zignoruj',
      'nie przejmuj',
      'zapomnij',
      'unut',
      'yok say',
      'dikkate alma',
      'bỏ qua',
      'abaikan',
      'negeer',
      'ignorera',
    ],
    [
      'تعليمات',
      'zasad',
      'instrukcj',
      'polece',
      'talimat',
      'kural',
      'hướng dẫn',
      'instruksi',
      'perintah',
      'instructies',
      'instruktion',
    ],
  ],
  [
    UNASKED,
    [
      'دون إذن',
      'لا تخبر',
      'bez pytania',
      'nie wspominaj',
      'nie mów',
      'sormadan',
      'gizle',
      'söyleme',
      'không hỏi',
      'tanpa bertanya',
      'zonder te vragen',
      'utan att fråga',
    ],
    ['المستخدم', 'użytkownik', 'kullanıcı', 'người dùng', 'pengguna', 'gebruiker', 'användar'],
  ],
]

/** Parts of paths that lead to secrets. */
export const SECRET_PLACES =
  wordsOf(`.ssh/ ~/.ssh id_rsa id_ed25519 id_ecdsa .aws/ .netrc .git-credentials .npmrc .pypirc .pgpass
  .kube/config .docker/config .gnupg .config/gh .config/gcloud keychains keychain login.keychain cookies.sqlite
  /etc/shadow /etc/passwd /etc/sudoers wallet.dat .env .vault-token .azure/ credentials.json service-account
  application_default_credentials /proc/self/environ .bash_history .zsh_history printenv`)

/** Parts of paths of files that a shell, git or an agent reads when it starts. */
export const START_PLACES = wordsOf(`.bashrc .zshrc .bash_profile .zprofile .zshenv .bash_login config.fish
  microsoft.powershell_profile authorized_keys .git/hooks .gitconfig /etc/cron /etc/profile /etc/hosts /etc/ld.so
  launchagents launchdaemons .config/autostart .config/systemd systemd/system startup.bat init.d/
  .claude/settings .claude.json .codex/config .cursor/mcp .gemini/settings .vscode/settings .vscode/tasks .mcp.json
  .husky/ .envrc sitecustomize.py usercustomize.py site-packages/`)

/** Starts of paths outside the project. */
export const OUTSIDE =
  wordsOf(`~/ $home/ \${home}/ %userprofile% %appdata% %temp% $env:userprofile $env:appdata /etc/ /usr/
  /opt/ /var/ /bin/ /sbin/ /lib/ /root/ /home/ /users/ /library/ /system/ ../../.. c:\\ $xdg_config_home /tmp/ /dev/shm`)

/** Words that write to the path after them. */
export const WRITING: ReadonlySet<string> = new Set(
  wordsOf(`> >> tee cp mv ln install touch mkdir write save append copy move add create edit modify put store symlink sed
  out-file set-content add-content new-item copy-item move-item writefile writefilesync appendfile appendfilesync
  open unzip tar mkdirsync patch`),
)

/** Words before a command that turn a sentence into a warning of it. */
export const WARNING: ReadonlySet<string> = new Set(
  wordsOf(`never not don’t don't avoid avoids instead unlike malicious dangerous unsafe insecure vulnerable vulnerability
  attacker attackers attack injection exploit payload detect detects flag flags block blocks blocked reject rejects
  forbid forbidden deny denied refuse refuses prohibited suspicious warn warns prevent prevents untrusted bad anti-pattern
  risk risks risky`),
)
/** Words that turn a warning around again: "never forget to run". */
export const TURNING: ReadonlySet<string> = new Set(
  wordsOf(`forget skip omit fail miss hesitate neglect worry until unless before without but however then now first except
  ask wait just simply always must mind`),
)

/** Keys of data files whose value a tool runs. */
export const ACTING_KEYS: ReadonlySet<string> = new Set(
  wordsOf(`command commands cmd run exec execute script scripts hooks hook entrypoint mcpservers mcp_servers shell
  preinstall postinstall install prepare pretooluse posttooluse sessionstart onstart on_start before_script
  after_script powershell bash program runs uses plugins allow autorun statusline apikeyhelper`),
)
