export const INJECTION_KINDS = ['override', 'authority', 'exfiltration', 'command', 'secrecy'] as const

export type InjectionKind = (typeof INJECTION_KINDS)[number]

export interface InjectionPattern {
  kind: InjectionKind
  pattern: RegExp
}

/** Up to so many words, whatever they are; they may go on in the next line. */
const words = (most: number) => String.raw`(?:[\w'-]{1,24}[\s,]{1,4}){0,${most}}?`

const english = (kind: InjectionKind, source: string): InjectionPattern => ({
  kind,
  pattern: new RegExp(String.raw`\b${source}`.replaceAll(' ', String.raw`\s{1,4}`), 'gi'),
})

const chinese = (kind: InjectionKind, source: string): InjectionPattern => ({ kind, pattern: new RegExp(source, 'g') })

const RULES = '(?:instructions?|prompts?|directives?|guidelines)'
const OUR_RULES = '(?:system|developer|safety) (?:prompts?|messages?|instructions?|rules?|polic(?:y|ies)|guidelines)'
const SECRETS =
  '(?:api[\\s-]?keys?|passwords?|credentials?|secrets?|tokens?|(?:private|ssh) keys?|environment variables|system prompt|conversation|chat history|files)'
const READER = '(?:ai|assistant|agent|language model|llm|chatbot|claude|gpt|copilot)s?'

/** A function: building them takes time that most calls never need. What they look for is spelt out in the tests. */
export const injectionPatterns = (): readonly InjectionPattern[] => [
  english(
    'override',
    `(?:ignore|disregard|forget) ${words(3)}(?:previous|prior|above|earlier|preceding|existing|original|system|developer|your|all) ${words(3)}${RULES}\\b`,
  ),
  english(
    'override',
    `(?:ignore|disregard|forget) ${words(4)}${RULES} (?:above|before|you (?:were|have been)|given to you)`,
  ),
  english(
    'override',
    `(?:ignore|disregard|forget) (?:all|everything|anything) ${words(4)}(?:above|before this|you were told)\\b`,
  ),
  english(
    'override',
    `(?:override|bypass|disable) ${words(2)}(?:system|developer|safety) (?:prompts?|instructions?|messages?|rules|guidelines)`,
  ),
  english('authority', `(?:outranks?|supersedes?|stands? above) ${words(3)}(?:system|developer)\\b`),
  english(
    'authority',
    `(?:overrides?|replaces?|(?:takes?|has|have) (?:precedence|priority) over|higher (?:priority|authority) than) ${words(3)}${OUR_RULES}`,
  ),
  english(
    'authority',
    'you are now (?:(?:the|a|an|in) )?(?:system|developer|admin|root|dan|unrestricted|jailbroken)\\b',
  ),
  english('authority', '(?:new|updated|real|actual) system (?:prompt|message|instructions?)\\s?:'),
  {
    kind: 'authority',
    pattern:
      /<\|(?:im_start|system|start_header_id)\|>|<<SYS>>|\[INST\]|^[ \t>*#[("]{0,8}SYSTEM(?: (?:MESSAGE|PROMPT|OVERRIDE|NOTICE))?[\])*]{0,3}:/gm,
  },
  english(
    'exfiltration',
    `(?:send|post|upload|exfiltrate|leak|forward|transmit|e-?mail|submit) ${words(2)}(?:your|all|any|the user's|every|these|their) ${words(3)}${SECRETS} ${words(4)}to (?:https?:|www\\.|[\\w.+-]{1,40}@|this (?:url|address|server|endpoint|site))`,
  ),
  english(
    'exfiltration',
    '(?:reveal|print|repeat|output|disclose|leak|show|tell) (?:me |us )?(?:your|the) (?:(?:full|entire|whole|hidden|initial|secret|exact) )?system (?:prompt|message|instructions)',
  ),
  english(
    'command',
    `${READER}[,:]? (?:you )?(?:must|should|shall|will|please|now|have to|need to) (?:now |immediately |first |silently )?(?:run|execute)\\b`,
  ),
  english(
    'command',
    '(?:you must|immediately|silently|secretly) (?:now |immediately )?(?:run|execute) (?:this|the following|these|that)\\b',
  ),
  english(
    'command',
    `(?:run|execute) ${words(6)}without (?:asking|telling|informing|notifying|(?:any )?(?:confirmation|approval|permission))`,
  ),
  english(
    'secrecy',
    "(?:do not|don't|never) (?:tell|inform|alert|notify|mention (?:this |it )?to|reveal (?:this |it )?to|show (?:this |it )?to) (?:the )?users?\\b",
  ),
  // The same in Chinese, in both scripts.
  chinese(
    'override',
    '(?:\u5ffd\u7565|\u65e0\u89c6|\u7121\u8996|\u5fd8\u8bb0|\u5fd8\u8a18|\u4e0d\u8981\u7406\u4f1a|\u4e0d\u8981\u7406\u6703|\u4e0d\u8981\u9075\u5b88|\u629b\u5f00)(?:\u6389|\u4f60|\u60a8|\u7684|\u4e4b\u524d|\u4ee5\u4e0a|\u4e0a\u8ff0|\u5148\u524d|\u524d\u9762|\u6b64\u524d|\u4e0a\u9762|\u6240\u6709|\u4e00\u5207|\u5168\u90e8|\u4efb\u4f55|\u7cfb\u7edf|\u7cfb\u7d71|\u5f00\u53d1\u8005|\u958b\u767c\u8005|\u6536\u5230|\u8fd9\u4e9b|\u90a3\u4e9b){1,8}(?:\u6307\u4ee4|\u6307\u793a|\u63d0\u793a|\u89c4\u5219|\u898f\u5247|\u8bf4\u660e|\u8aaa\u660e|\u8981\u6c42|\u547d\u4ee4|\u9650\u5236)',
  ),
  chinese(
    'authority',
    '\u4f60(?:\u73b0\u5728|\u73fe\u5728|\u4ece\u73b0\u5728\u8d77|\u5f9e\u73fe\u5728\u8d77)(?:\u662f|\u626e\u6f14|\u5c31\u662f)[^\\n\u3002]{0,6}(?:\u7cfb\u7edf|\u7cfb\u7d71|\u5f00\u53d1\u8005|\u958b\u767c\u8005|\u7ba1\u7406\u5458|\u7ba1\u7406\u54e1|\u4e0d\u53d7\u9650\u5236|root)',
  ),
  chinese(
    'authority',
    '(?:\u9ad8\u4e8e|\u9ad8\u65bc|\u4f18\u5148\u4e8e|\u512a\u5148\u65bc|\u8986\u76d6|\u8986\u84cb|\u51cc\u9a7e\u4e8e|\u51cc\u99d5\u65bc|\u53d6\u4ee3)[^\\n\u3002\uff0c]{0,4}(?:\u7cfb\u7edf|\u7cfb\u7d71|\u5f00\u53d1\u8005|\u958b\u767c\u8005)(?:\u7684)?(?:\u6307\u4ee4|\u63d0\u793a|\u89c4\u5219|\u898f\u5247|\u6d88\u606f|\u8bbe\u5b9a|\u8a2d\u5b9a|\u6743\u9650|\u6b0a\u9650)',
  ),
  chinese(
    'authority',
    '(?:\u7cfb\u7edf|\u7cfb\u7d71|\u5f00\u53d1\u8005|\u958b\u767c\u8005)(?:\u63d0\u793a|\u6307\u4ee4|\u6d88\u606f|\u547d\u4ee4|\u901a\u77e5)(?:\u8bcd|\u8a5e)?\\s?[:\uff1a]',
  ),
  chinese(
    'exfiltration',
    '(?:\u53d1\u9001|\u767c\u9001|\u4e0a\u4f20|\u4e0a\u50b3|\u6cc4\u9732|\u6d29\u9732|\u8f6c\u53d1|\u8f49\u767c|\u63d0\u4ea4|\u53d1)[^\\n\u3002]{0,12}(?:\u5bc6\u94a5|\u5bc6\u9470|\u5bc6\u7801|\u5bc6\u78bc|\u53e3\u4ee4|\u51ed\u636e|\u6191\u64da|\u51ed\u8bc1|\u4ee4\u724c|\u7cfb\u7edf\u63d0\u793a|\u7cfb\u7d71\u63d0\u793a|\u73af\u5883\u53d8\u91cf|\u74b0\u5883\u8b8a\u91cf|\u5bf9\u8bdd|\u5c0d\u8a71)[^\\n\u3002]{0,12}(?:\u5230|\u81f3|\u7ed9|\u7d66)\\s?(?:https?:|www|[\\w.+-]{1,40}@)',
  ),
  chinese(
    'exfiltration',
    '(?:\u8f93\u51fa|\u8f38\u51fa|\u663e\u793a|\u986f\u793a|\u6cc4\u9732|\u6d29\u9732|\u6253\u5370|\u590d\u8ff0|\u544a\u8bc9\u6211)(?:\u4f60|\u60a8|\u7684|\u5b8c\u6574|\u5168\u90e8|\u9690\u85cf){0,4}(?:\u7cfb\u7edf|\u7cfb\u7d71)(?:\u63d0\u793a|\u6307\u4ee4)',
  ),
  chinese(
    'command',
    '(?:\u4f60\u5fc5\u987b|\u4f60\u5fc5\u9808|\u7acb\u5373|\u7acb\u523b|\u9a6c\u4e0a|\u99ac\u4e0a)(?:\u8fd0\u884c|\u904b\u884c|\u6267\u884c|\u57f7\u884c)(?:\u4ee5\u4e0b|\u4e0b\u9762|\u8fd9\u4e2a|\u9019\u500b|\u8fd9\u6761|\u9019\u689d|\u6b64|\u8be5)(?:\u7684)?(?:\u547d\u4ee4|\u811a\u672c|\u8173\u672c|\u4ee3\u7801|\u4ee3\u78bc|\u6307\u4ee4)',
  ),
  chinese(
    'command',
    '(?:\u8fd0\u884c|\u904b\u884c|\u6267\u884c|\u57f7\u884c)[^\\n\u3002]{0,12}(?:\u65e0\u9700|\u7121\u9700|\u4e0d\u8981|\u4e0d\u5fc5)(?:\u8be2\u95ee|\u8a62\u554f|\u5f81\u6c42|\u544a\u77e5|\u786e\u8ba4|\u78ba\u8a8d)',
  ),
  chinese(
    'secrecy',
    '(?:\u4e0d\u8981|\u5207\u52ff|\u522b|\u5225|\u7981\u6b62)(?:\u544a\u8bc9|\u544a\u8a34|\u544a\u77e5|\u901a\u77e5|\u63d0\u9192|\u8ba9|\u8b93)(?:\u7528\u6237|\u7528\u6236|\u4f7f\u7528\u8005)',
  ),
]
