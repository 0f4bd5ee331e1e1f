/** English words that occur in almost any task. They say nothing about its subject. */
export const STOP_WORDS: ReadonlySet<string> = new Set(
  `a about after again all also am an and any are as at be because been before being but by can could did do does doing
  done down each even few for from further get had has have having he her here hers him his how i if in into is it its
  just like make many may me might more most much must my need new no nor not now of off on once only or other our out
  over own please same she should so some such than that the their them then there these they this those through to too
  under until up us use used using very want was we were what when where which while who whom why will with without
  would you your`.split(/\s+/),
)
