// bench/sample-index.ts
var SUBJECTS = 40;
var WORDS_OF_A_SUBJECT = 5;
var VOCABULARY = 4e3;
var FILLERS = "the a of when after before fails hangs again for our on with and please fix look into why it".split(
  " "
);
var TASK = sampleTask(0);
function sampleIndex(size, hits) {
  const random = generator(size * 31 + hits);
  const entries = [];
  const wordsAnEntry = SUBJECTS * hits / size;
  for (let at = 0; at < size; at++) {
    const keywords = Array.from({ length: 5 }, () => sampleKeyword(random));
    for (let word = 0; word < wordsAnEntry; word++) {
      if (random() < wordsAnEntry - word)
        keywords[(at + word) % 5] = subjectWord(random, Math.floor(random() * SUBJECTS));
    }
    entries.push({
      id: `entry-${at}`,
      path: `.claude/loadout/entry-${at}.md`,
      keywords: [...new Set(keywords)],
      patterns: random() < 0.3 ? [`intent_${Math.floor(random() * 900)}`] : [],
      priority: at < 5 ? "core" : random() < 0.02 ? "manual" : "domain",
      summary: `What to know about subject number ${at}, in one line.`,
      triggers: { task: true, plan: true, edit: false },
      tokens_est: Math.floor(random() * 1e3),
      lines: 30
    });
  }
  const budget = { always_loaded_est: 0, on_demand_total_est: 0, avg_task_load_est: 0, avg_task_load_observed: null };
  return JSON.parse(JSON.stringify({ version: "1.0.0", generated: "2026-01-01T00:00:00Z", entries, budget }));
}
function sampleTask(n) {
  const random = generator(n * 7919 + 1);
  const words = Array.from({ length: WORDS_OF_A_SUBJECT }, (_, word) => nameWord(n % SUBJECTS, word));
  for (let filler = 0; filler < 8; filler++) {
    const word = FILLERS[Math.floor(random() * FILLERS.length)] ?? "";
    words.splice(Math.floor(random() * (words.length + 1)), 0, word);
  }
  return `${words.join(" ")} (ticket ${n})`;
}
function subjectWord(random, subject) {
  return nameWord(subject, Math.floor(random() * WORDS_OF_A_SUBJECT));
}
function nameWord(subject, word) {
  return `topic${subject.toString(36)}${"abcde"[word]}`;
}
function sampleKeyword(random) {
  const word = `word${Math.floor(random() * VOCABULARY).toString(36)}`;
  return random() < 0.2 ? `${word}-part${Math.floor(random() * 50)}` : word;
}
function generator(seed) {
  let state = seed | 0;
  return () => {
    state = Math.imul(state, 1664525) + 1013904223 | 0;
    return (state >>> 8) / 2 ** 24;
  };
}
export {
  TASK,
  sampleIndex,
  sampleTask
};
