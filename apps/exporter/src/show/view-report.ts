import { formatFacts } from '@collab-etl/backups'
import { formatNumber, type Output, plainText } from '@collab-etl/cli'
import type { View } from '../view/open-view.ts'
import type { SiteServer } from '../view/server.ts'

/** Says where a backup is served, what it shows, and what it cannot show. */
export function reportView(stdout: Output, view: View, { url, port }: Pick<SiteServer, 'url' | 'port'>): void {
  const { name, form, baseUrl, begunAt, projects, lacks, isPartial, hasScripts } = view
  stdout.document({
    url,
    port,
    backup: name,
    format: form.format,
    service: baseUrl,
    begun_at: begunAt?.toISOString() ?? null,
    projects,
    not_held: lacks,
    partial: isPartial,
    scripts: hasScripts,
  })
  stdout.line(`${stdout.bold('Open')}: ${url}`)
  const made = [
    begunAt && `of ${begunAt.toISOString().slice(0, 16).replace('T', ' ')} UTC`,
    baseUrl && `from ${baseUrl}`,
  ]
  const about = [plainText(name), ...made.filter((text) => text !== null), formatNumber(projects, 'project')]
  stdout.line(`  ${about.join(', ')}`)
  const { title } = formatFacts(form.format)
  stdout.line(`  ${form.format === 'html' ? `its own ${title}` : `rendered from its ${title}`}`)
  if (lacks.length > 0) stdout.line(`  without ${lacks.join(', ')}: the backup does not hold them as ${title}`)
  if (form.without !== null) stdout.line(`  ${title} does not hold ${form.without}`)
  if (!hasScripts) {
    stdout.line(
      '  without search and filters: no known version of collab-export wrote its scripts, so they are not run',
    )
  }
  if (isPartial) stdout.line('  partial: data/backup.json names what could not be read')
  stdout.line('Only this machine can open it. Ctrl-C ends it.')
}
