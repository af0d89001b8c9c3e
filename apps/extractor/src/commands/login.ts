import { resolve } from 'node:path'
import {
  accountOf,
  defineCommand,
  EXIT,
  openBrowser,
  plainText,
  requireAddress,
  type Settings,
  UsageError,
} from '@collab-etl/cli'
import { signIn } from '../login/sign-in.ts'
import { SUMMARIES } from './summaries.ts'

/** Part of the redirect address with which users register their application. */
const DEFAULT_PORT = 8910

const DEFAULT_OUT = 'collab-token.json'

export const login = defineCommand({
  ...SUMMARIES.login,
  examples: [
    [
      'login --client-id ID --client-secret-file secret',
      'for an application registered with http://127.0.0.1:8910/callback',
    ],
    ['login --client-id ID --redirect-uri https://example.com/done --paste', 'on a machine without a browser'],
  ],
  options: {
    'client-id': {
      type: 'string',
      requiresArg: true,
      describe: 'ID  id of the registered application [COLLAB_CLIENT_ID]',
    },
    'client-secret-file': {
      type: 'string',
      requiresArg: true,
      describe: "FILE  file that holds the application's secret, which is not stored",
    },
    port: { type: 'number', describe: `N  port on 127.0.0.1 of the redirect address [default: ${DEFAULT_PORT}]` },
    'redirect-uri': { type: 'string', requiresArg: true, describe: 'URL  another redirect address; needs --paste' },
    paste: {
      type: 'boolean',
      describe: 'asks for the address to which the browser was led, instead of waiting for it',
    },
    out: { type: 'string', requiresArg: true, describe: `FILE  the token file [default: ${DEFAULT_OUT}]` },
    account: {
      type: 'string',
      requiresArg: true,
      conflicts: 'out',
      describe: 'NAME  writes the token_file of this account of collab.yaml',
    },
    open: {
      type: 'boolean',
      default: true,
      describe: 'opens the page in a browser, at a terminal; --no-open only prints it',
    },
  },
  settings: ['service'],
  takesToken: false,
  onInterrupt: 'nothing was stored',
  check({ port, paste, 'redirect-uri': redirectUri }) {
    if (port !== undefined && !(Number.isInteger(port) && port >= 0 && port <= 65_535)) {
      throw new UsageError('--port must be a whole number from 0 to 65535; 0 chooses a free one')
    }
    if ((redirectUri === undefined) !== (paste !== true)) {
      throw new UsageError(
        'give --redirect-uri and --paste together, or neither: without them, this command waits on 127.0.0.1 for the code',
      )
    }
    if (redirectUri !== undefined && port !== undefined)
      throw new UsageError('--port and --redirect-uri cannot be combined')
    if (redirectUri !== undefined && !URL.canParse(redirectUri)) {
      throw new UsageError('--redirect-uri must be an address such as https://example.com/done')
    }
  },
  async run(context, args) {
    const { settings, stdout, log, json } = context
    const baseUrl = requireAddress(settings)
    const clientId = args['client-id'] || process.env['COLLAB_CLIENT_ID']
    if (!clientId) throw new UsageError('the application is not named: give --client-id ID or set COLLAB_CLIENT_ID')
    const say = async (text: string) => (json ? log.info(text) : await stdout.write(`${text}\n`))
    const isDesktop =
      stdout.isTerminal &&
      (process.platform !== 'linux' || Boolean(process.env['DISPLAY'] ?? process.env['WAYLAND_DISPLAY']))
    // Other users may see the address with its `state` in the list of processes. With it they can answer in place of the page, but only with a
    // code of their own: then the token is that of another user, who is shown at the end.
    const show = (url: string) => {
      if (args.open && isDesktop)
        openBrowser(url, () => log.warn('no browser could be started: open the address in one'))
    }
    const out = args.account === undefined ? resolve(args.out ?? DEFAULT_OUT) : fileOf(settings, args.account)
    const signedIn = await signIn(context, {
      baseUrl,
      clientId,
      secretFile: args['client-secret-file'],
      redirectUri: args['redirect-uri'],
      port: args.port ?? DEFAULT_PORT,
      out,
      say,
      show,
    })
    const { uid, expiresAt, isRefreshable } = signedIn
    stdout.document({ file: out, uid, expires_at: expiresAt, refreshable: isRefreshable })
    const owner = uid === null ? '' : ` of user ${plainText(uid)}`
    stdout.line(
      `Signed in: the token${owner} is in ${plainText(out)}${expiresAt === null ? '' : `, valid until ${expiresAt}`}.`,
    )
    stdout.line(
      isRefreshable
        ? 'It is refreshed before it expires.'
        : 'The service gave no refresh token: sign in again when it expires.',
    )
    if (args.account === undefined)
      stdout.line(`Use it with --token-file ${plainText(args.out ?? DEFAULT_OUT)} or token_file: in collab.yaml.`)
    return EXIT.ok
  },
})

/** The token file of an account. @throws UsageError */
function fileOf(settings: Settings, name: string): string {
  const { place } = accountOf(settings, name)
  if (place.kind === 'file') return place.path
  throw new UsageError(
    `--account: the account ${name} has a token_command, which gives its token: name a token_file instead`,
  )
}
