/** A commented collab.yaml: the required settings, and every key of `nightly:`. */
export function exampleFile(): string {
  return EXAMPLE
}

const EXAMPLE = `# yaml-language-server: $schema=./node_modules/@collab-etl/nightly/collab.schema.json
# Settings of collab-etl. Paths are relative to this file. A flag or an environment variable takes precedence.

# The service, and a file that holds the access token (mode 600). The token itself must not be in this file.
base_url: https://collab.example.com
token_file: /run/secrets/collab-token

# Without DATABASE_URL (an environment variable, as it holds a password), the warehouse is embedded, in this directory.
data_dir: /var/lib/collab/data

# What collab-nightly does: snapshot, backup, verify, prune, archive, report.
nightly:
  # Directory that holds the backups.
  out: /var/backups/collab

  # Formats of the backup: markdown, csv, html, jsonl.
  formats: [markdown, csv, jsonl]

  # Kinds of content: pages, posts, tasks, events, files, users. Without this key, all that the formats can hold.
  # content: [pages, posts, tasks, events]

  # Number of processes that read the snapshot; 0: workers that run elsewhere (collab-extract worker). Needs Postgres.
  # workers: 4

  # full: every byte of the new backup is verified; 1/7: every byte of a seventh of its files, another seventh each night, and of
  # one older backup and archive; fast: only number and sizes of files; off.
  verify: full

  # Backups that none of these rules keeps are removed. Without this key, none is removed.
  keep: { daily: 7, weekly: 5, monthly: 24 }

  # Also write each backup into one file, encrypted if public keys of age are given. Without keep, archives in another directory (to) are not removed.
  # archive: { as: tar.zst, to: /mnt/offsite, encrypt: [age1…], keep: { daily: 7, monthly: 24 } }

  # Practise recovery when the last drill is older: what was written is loaded into a temporary warehouse and compared. Encrypted archives
  # need their private key (identity, under archive).
  # drill: 30d

  # Programs of your own, each with its arguments, without a shell: before the first step; after exit code 0 or 3, or if only an
  # older copy is damaged; after any exit code but 0. Their environment has COLLAB_BACKUP, COLLAB_ARCHIVE, COLLAB_EXIT_CODE and COLLAB_SUMMARY (a JSON file).
  # before: [[mountpoint, /mnt/offsite]]
  # after: [[rclone, copy, /mnt/offsite, "offsite:collab"]]
  # on_failure: [[/usr/local/bin/page-me]]

  # Number of attempts of a run, the first one included, and the pause before each further one. A step is run again after a failure that
  # may pass: exit code 1, broken connections, server errors.
  attempts: 3
  pause: 10m

  # Time limit of the whole run, pauses included: the step under way is ended.
  timeout: 5h

  # Known failures in spite of which a run counts as succeeded, until a date; as collab-extract accept, for the runs of this job.
  # accept:
  #   - { scope: P1/posts/X7, until: 2027-03-31, reason: ticket 4711 }

  # Address of a health check (healthchecks.io, or any service with its protocol), called at the start and the end of each run.
  # ping: https://hc.example.com/your-uuid

  # Receivers of notifications. when: failure (default), always, or change; as: slack, ntfy, or json (default).
  # notify:
  #   - { url: https://ntfy.example.com/collab, when: change, as: ntfy }

  # File for the textfile collector of the Prometheus node exporter, which reads only names that end in .prom.
  # metrics_file: /var/lib/node_exporter/collab.prom

  # Directory of a report, which each run replaces: one HTML page, index.html, that every user of this machine can read.
  # report: /var/www/collab
`
