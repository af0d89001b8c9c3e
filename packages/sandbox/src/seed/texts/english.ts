import { type Language, phrases } from './language.ts'

export const english: Language = {
  code: 'en',
  people: [
    ['Maya Okafor', 'maya'],
    ['Tom Whitfield', 'tomw'],
    ["Siobhán O'Neill", 'siobhan'],
    ['Jordan Reyes', 'jreyes'],
    ['Priya Raman', 'priya'],
    ['Luke "Lucky" Santos', 'lucky'],
  ],
  projects: ['Website relaunch', 'Mobile app 🚀', 'Customer onboarding', 'Internal tools'],
  entries: ['Backlog', 'In progress', 'In review', 'Done', 'Ideas 💡'],
  doing: phrases(`
    Fix {} on Safari | Write tests for {} | Review {} | Decide who owns {} | Migrate {} to the new cluster
    Document {} | Remove the old {} | Measure {} before & after | Ask legal about {} | Speed up {} (p95 > 2 s)
  `),
  things: phrases(`
    the sign-up form | invoice export | dark mode | the search index | password reset | image uploads
    the billing webhook | nightly backups | the "What's new" page | rate limits | time zones | the changelog
    CSV import | push notifications 🔔
  `),
  pages: phrases(`
    Getting started | Architecture | Release checklist | On-call handbook | Meeting notes | Glossary
    Roadmap 2026/27 | FAQ: why is it slow? | C++ / C#: style guide | .env and other secrets | =SUM(A1:A3) explained
    Post-mortem: the <script> incident | How we work 🧭 | Retrospective
  `),
  posts: phrases(`
    Who is coming to the offsite? | Proposal: one deploy a day | What we learned in Q2 | New logo, please vote 🗳️
    Farewell, old database | Which metrics matter? | Friday demo: recording inside
  `),
  events: ['Sprint planning', 'Daily stand-up', 'Demo day 🎉', 'Quarterly review', 'Release window', '1:1'],
  places: ['Room Ada', 'Online', 'Harbour Street 4, 2nd floor', 'Café Central'],
  headings: ['Why', 'What changes', 'Open questions', 'Next steps', 'Numbers', 'How to try it'],
  sentences: [
    'We agreed to ship the smallest thing that helps and to look at the numbers after a week.',
    'The old behaviour stays behind a flag until everyone has moved.',
    'Nothing here is final; leave a comment where you disagree.',
    'It took **three attempts** to reproduce, and it only happens when the cache is cold.',
    'Latency went from 480 ms to 95 ms, which is better than we hoped for.',
    'Please do *not* rename the column: two dashboards still read it.',
    'The customer wrote: "works on my machine" – and attached a screenshot of somebody else\'s.',
    'Use `--dry-run` first; it prints what it would do and touches nothing.',
    'If in doubt, ask in the channel before you merge.',
    'Costs are about $1,200 a month, 30% less than last year.',
  ],
  comments: phrases(`
    Looks good to me 👍 | Could we wait until Monday? | I can take this one.
    +1, and thanks for the thorough write-up! | Attached is the latest version.
    Not sure I follow – can you give an example? | Done, please check.
  `),
  see: ['See {} for the background.', 'This follows from {}.', 'Details are in {}.'],
}
