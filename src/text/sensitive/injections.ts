import { findHostTags } from './host-tags.ts'
import { eachMatch, type Hints, once, readHints, type TextSpan } from './matching.ts'

const INJECTION_KINDS = ['override', 'authority', 'exfiltration', 'command', 'secrecy', 'host-tag'] as const

export type InjectionKind = (typeof INJECTION_KINDS)[number]

interface InjectionPattern {
  kind: InjectionKind
  /** Undefined: any text with Chinese characters may match. */
  hints: Hints | undefined
  pattern(): RegExp
}

/** Up to this many words of any kind; they may continue on the next line. */
const words = (most: number) => String.raw`(?:[\w'-]{1,24}[\s,]{1,4}){0,${most}}?`

/** `hints`: a text without one of each list cannot match. V8 takes a millisecond to compile a pattern. */
const english = (kind: InjectionKind, hints: readonly (readonly string[])[], source: string): InjectionPattern => ({
  kind,
  hints,
  pattern: once(() => new RegExp(String.raw`\b${source}`.replaceAll(' ', String.raw`\s{1,4}`), 'gi')),
})

const chinese = (kind: InjectionKind, source: string): InjectionPattern => ({
  kind,
  hints: undefined,
  pattern: once(() => new RegExp(source, 'g')),
})

const RULES = '(?:instructions?|prompts?|directives?|guidelines)'
const OUR_RULES = '(?:system|developer|safety) (?:prompts?|messages?|instructions?|rules?|polic(?:y|ies)|guidelines)'
const SECRETS =
  '(?:api[\\s-]?keys?|passwords?|credentials?|secrets?|tokens?|(?:private|ssh) keys?|environment variables|system prompt|conversation|chat history|files)'
const READER = '(?:ai|assistant|agent|language model|llm|chatbot|claude|gpt|copilot)s?'

const IGNORE = ['ignore', 'disregard', 'forget']
const RULE_WORDS = ['instruction', 'prompt', 'directive', 'guideline']
const OURS = ['system', 'developer', 'safety']
const RUN = ['run', 'execute']

/** The tests spell out what these patterns look for. */
const INJECTION_PATTERNS: readonly InjectionPattern[] = [
  english(
    'override',
    [IGNORE, RULE_WORDS],
    `(?:ignore|disregard|forget) ${words(3)}(?:previous|prior|above|earlier|preceding|existing|original|system|developer|your|all) ${words(3)}${RULES}\\b`,
  ),
  english(
    'override',
    [IGNORE, RULE_WORDS],
    `(?:ignore|disregard|forget) ${words(4)}${RULES} (?:above|before|you (?:were|have been)|given to you)`,
  ),
  english(
    'override',
    [IGNORE, ['above', 'before', 'told']],
    `(?:ignore|disregard|forget) (?:all|everything|anything) ${words(4)}(?:above|before this|you were told)\\b`,
  ),
  english(
    'override',
    [['override', 'bypass', 'disable'], OURS],
    `(?:override|bypass|disable) ${words(2)}(?:system|developer|safety) (?:prompts?|instructions?|messages?|rules|guidelines)`,
  ),
  english(
    'authority',
    [
      ['outrank', 'supersede', 'above'],
      ['system', 'developer'],
    ],
    `(?:outranks?|supersedes?|stands? above) ${words(3)}(?:system|developer)\\b`,
  ),
  english(
    'authority',
    [['overrid', 'replace', 'precedence', 'priority', 'authority'], OURS],
    `(?:overrides?|replaces?|(?:takes?|has|have) (?:precedence|priority) over|higher (?:priority|authority) than) ${words(3)}${OUR_RULES}`,
  ),
  english(
    'authority',
    [['you'], ['now']],
    'you are now (?:(?:the|a|an|in) )?(?:system|developer|admin|root|dan|unrestricted|jailbroken)\\b',
  ),
  english(
    'authority',
    [['system'], ['prompt', 'message', 'instruction']],
    '(?:new|updated|real|actual) system (?:prompt|message|instructions?)\\s?:',
  ),
  {
    kind: 'authority',
    hints: [['system']],
    pattern: once(() => /^[ \t>*#[("]{0,8}SYSTEM(?: (?:MESSAGE|PROMPT|OVERRIDE|NOTICE))?[\])*]{0,3}:/gm),
  },
  english(
    'exfiltration',
    [
      ['send', 'post', 'upload', 'exfiltrate', 'leak', 'forward', 'transmit', 'mail', 'submit'],
      ['your', 'all', 'any', "user's", 'every', 'these', 'their'],
      ['key', 'password', 'credential', 'secret', 'token', 'variables', 'prompt', 'conversation', 'history', 'files'],
    ],
    `(?:send|post|upload|exfiltrate|leak|forward|transmit|e-?mail|submit) ${words(2)}(?:your|all|any|the user's|every|these|their) ${words(3)}${SECRETS} ${words(4)}to (?:https?:|www\\.|[\\w.+-]{1,40}@|this (?:url|address|server|endpoint|site))`,
  ),
  english(
    'exfiltration',
    [['system'], ['prompt', 'message', 'instruction']],
    '(?:reveal|print|repeat|output|disclose|leak|show|tell) (?:me |us )?(?:your|the) (?:(?:full|entire|whole|hidden|initial|secret|exact) )?system (?:prompt|message|instructions)',
  ),
  english(
    'command',
    [RUN, ['assistant', 'agent', 'language', 'llm', 'chatbot', 'claude', 'gpt', 'copilot', 'ai']],
    `${READER}[,:]? (?:you )?(?:must|should|shall|will|please|now|have to|need to) (?:now |immediately |first |silently )?(?:run|execute)\\b`,
  ),
  english(
    'command',
    [RUN, ['must', 'immediately', 'silently', 'secretly']],
    '(?:you must|immediately|silently|secretly) (?:now |immediately )?(?:run|execute) (?:this|the following|these|that)\\b',
  ),
  english(
    'command',
    [RUN, ['without']],
    `(?:run|execute) ${words(6)}without (?:asking|telling|informing|notifying|(?:any )?(?:confirmation|approval|permission))`,
  ),
  english(
    'secrecy',
    [['user'], ['not', "don't", 'never'], ['tell', 'inform', 'alert', 'notify', 'mention', 'reveal', 'show']],
    "(?:do not|don't|never) (?:tell|inform|alert|notify|mention (?:this |it )?to|reveal (?:this |it )?to|show (?:this |it )?to) (?:the )?users?\\b",
  ),
  // The Chinese patterns, in both scripts.
  chinese(
    'override',
    '(?:忽略|无视|無視|忘记|忘記|不要理会|不要理會|不要遵守|抛开)(?:掉|你|您|的|之前|以上|上述|先前|前面|此前|上面|所有|一切|全部|任何|系统|系統|开发者|開發者|收到|这些|那些){1,8}(?:指令|指示|提示|规则|規則|说明|說明|要求|命令|限制)',
  ),
  chinese(
    'authority',
    '你(?:现在|現在|从现在起|從現在起)(?:是|扮演|就是)[^\\n。]{0,6}(?:系统|系統|开发者|開發者|管理员|管理員|不受限制|root)',
  ),
  chinese(
    'authority',
    '(?:高于|高於|优先于|優先於|覆盖|覆蓋|凌驾于|凌駕於|取代)[^\\n。，]{0,4}(?:系统|系統|开发者|開發者)(?:的)?(?:指令|提示|规则|規則|消息|设定|設定|权限|權限)',
  ),
  chinese('authority', '(?:系统|系統|开发者|開發者)(?:提示|指令|消息|命令|通知)(?:词|詞)?\\s?[:：]'),
  chinese(
    'exfiltration',
    '(?:发送|發送|上传|上傳|泄露|洩露|转发|轉發|提交|发)[^\\n。]{0,12}(?:密钥|密鑰|密码|密碼|口令|凭据|憑據|凭证|令牌|系统提示|系統提示|环境变量|環境變量|对话|對話)[^\\n。]{0,12}(?:到|至|给|給)\\s?(?:https?:|www|[\\w.+-]{1,40}@)',
  ),
  chinese(
    'exfiltration',
    '(?:输出|輸出|显示|顯示|泄露|洩露|打印|复述|告诉我)(?:你|您|的|完整|全部|隐藏){0,4}(?:系统|系統)(?:提示|指令)',
  ),
  chinese(
    'command',
    '(?:你必须|你必須|立即|立刻|马上|馬上)(?:运行|運行|执行|執行)(?:以下|下面|这个|這個|这条|這條|此|该)(?:的)?(?:命令|脚本|腳本|代码|代碼|指令)',
  ),
  chinese('command', '(?:运行|運行|执行|執行)[^\\n。]{0,12}(?:无需|無需|不要|不必)(?:询问|詢問|征求|告知|确认|確認)'),
  chinese('secrecy', '(?:不要|切勿|别|別|禁止)(?:告诉|告訴|告知|通知|提醒|让|讓)(?:用户|用戶|使用者)'),
]

export function findInjectionSpans(text: string, isPossible = readHints(text)): TextSpan<InjectionKind>[] {
  const isChinese = /[\u4e00-\u9fff]/.test(text)
  const tags = findHostTags(text).map((span) => ({ kind: 'host-tag' as const, ...span }))
  const orders = INJECTION_PATTERNS.filter(({ hints }) =>
    hints === undefined ? isChinese : isPossible(hints),
  ).flatMap(({ kind, pattern }) =>
    [...eachMatch(text, pattern())].map((match) => ({ kind, start: match.index, end: match.index + match[0].length })),
  )
  return [...tags, ...orders]
}
