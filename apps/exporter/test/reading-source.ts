import { htmlSource } from './html-source.ts'
import { pageRow } from './rows.ts'

const ARABIC = `# دليل النسخ الاحتياطي

يشرح هذا الدليل كيف نحفظ نسخة احتياطية من مساحة العمل **كل ليلة** وكيف نستعيدها. HTTP هو بروتوكول الاتصال. افتح الملف \`data/html/index.html\` في المتصفح، ثم اقرأ [التعليمات](/pages/a2).

## الخطوات

1. ثبّت الأداة بالأمر \`npm install --global collab-export\`.
2. شغّل النسخ:
   - المشاريع النشطة فقط
   - الصفحات والمنشورات (v2.1)
3. تحقّق من النتيجة.
4. Install Node.js 24 (LTS).

\`\`\`sh
# backup every night
collab-export backup --out /backups --format html
if [ "$?" -ne 0 ]; then echo "failed: $?" >&2; fi
\`\`\`

> الاقتباس في الجانب الصحيح، مع علامة \`code\`.

| الخدمة | المالك | الأمر | الزمن |
|---|---|---|--:|
| البحث | Ann | \`search --all\` | 12 ms |
| التصدير | خالد | Export (v2) | 1,200 ms |

An English paragraph within the Arabic page, with (parentheses).

- [x] تم الاختبار
- [ ] النشر

https://collab.example/pages/a2 و https://example.com/manual?x=1

سطر فيه كلمة ثم رقم 12.5% (تقريبًا)، وملاحظة[^1].

[^1]: حاشية قصيرة.
`

/** Code by its language: each grammar has the words that it colours differently. */
const CODE = {
  ts: "import { x } from './y.ts'\n// comment\n@decorated\nexport async function f<T>(a: number): Promise<T> { throw new Error('no') }",
  python: '@cache\ndef f(x: int = 1) -> str:\n    """Doc."""\n    return f"{x}" if x is None else str(x)',
  diff: '--- a\n+++ b\n@@ -1 +1 @@\n-old line\n+new line\n context',
  html: '<!-- c --><div class="x" id=y><script>let a = 1</script></div>',
  css: '.a > #b:hover { color: #fff; --x: 1px }',
  yaml: 'a: true\nb:\n  - "x" # c',
  md: '# t\n**b** _i_ `c` [l](u)\n> quote',
  dockerfile: 'FROM node:24\nRUN npm ci && echo "x"',
}

const CODE_PAGE = Object.entries(CODE)
  .map(([language, code]) => `## ${language}\n\n\`\`\`${language}\n${code}\n\`\`\``)
  .join('\n\n')

/** The site of `htmlSource` with a page in Arabic and one with code in several languages. */
export function readingSource() {
  return htmlSource([
    pageRow('p2', 'c2', 'Code', { content: CODE_PAGE }),
    pageRow('p2', 'c3', 'دليل النسخ', { content: ARABIC }),
  ])
}
