/** What each package may import of the others. Apps may import every package, and no app. */
const PACKAGES = {
  contract: [],
  core: ['contract', 'lock'],
  warehouse: ['contract', 'lock'],
  bagit: ['lock'],
  documents: ['contract'],
  backups: ['bagit', 'cli', 'contract', 'lock'],
  cli: [],
  lock: [],
  observability: ['lock'],
  sandbox: ['contract', 'cli'],
}

/** Light doors of packages that a package may not import otherwise: data and pure functions, which load neither a database nor HTTP. */
const DOORS = {
  backups: ['core/dist/read/', 'warehouse/dist/records/'],
  observability: ['documents/dist/html/parts'],
}

/** The directories of core in their order: each may import those before it. */
const CORE = ['errors', 'read', 'http', 'auth', 'operations', 'walk', 'streams', 'projects']

/** The rooms of the warehouse that only read what is stored. */
const READING = ['tables', 'records', 'admin', 'runs', 'rows', 'lookup', 'changes', 'export']

/** Libraries and modules of Node that belong to some packages alone. */
const LIBRARIES = {
  'pg|pg-boss|pg-copy-streams|@electric-sql/[^/]+': ['packages/warehouse'],
  undici: ['packages/core'],
  fastify: ['packages/sandbox'],
  yargs: ['packages/cli', 'packages/sandbox', 'apps/[^/]+'],
}

const HTTP = '^(node:)?(http|https|http2|net)$'

function onlyPackages([name, allowed]) {
  return {
    name: `packages-of-${name}`,
    comment: `packages/${name} may import ${allowed.length === 0 ? 'no other package' : `of the packages only ${allowed.join(', ')}`}.`,
    severity: 'error',
    from: { path: `^packages/${name}/src/` },
    to: {
      path: '^(packages|apps|test)/',
      pathNot: `^packages/(${[...[name, ...allowed].map((other) => `${other}/`), ...(DOORS[name] ?? [])].join('|')})`,
    },
  }
}

function onlyDirectories(name, index) {
  const later = CORE.slice(index + 1).join('|')
  return {
    name: `core-before-${name}`,
    comment: `packages/core/src/${name} imports only directories before it: ${CORE.join(', ')}.`,
    severity: 'error',
    from: { path: `^packages/core/src/${name}/` },
    to: { path: `^packages/core/src/(${later})/` },
  }
}

function onlyIn([library, owners], index) {
  return {
    name: `library-${index}`,
    comment: `${library} belongs to ${owners.join(', ')}.`,
    severity: 'error',
    from: { path: '^(packages|apps)/[^/]+/src/', pathNot: `^(${owners.join('|')})/` },
    to: { path: `/node_modules/(${library})(/|$)` },
  }
}

module.exports = {
  forbidden: [
    ...Object.entries(PACKAGES).map(onlyPackages),
    ...CORE.slice(0, -1).map(onlyDirectories),
    ...Object.entries(LIBRARIES).map(onlyIn),
    {
      name: 'every-package-has-a-rule',
      comment: 'Add the package to PACKAGES in .dependency-cruiser.cjs.',
      severity: 'error',
      from: { path: '^packages/', pathNot: `^packages/(${Object.keys(PACKAGES).join('|')})/` },
      to: {},
    },
    {
      name: 'doors-are-light',
      comment: 'What other packages may import beside the index loads no HTTP and no database.',
      severity: 'error',
      from: { path: '^packages/(core/src/read/reader|warehouse/src/records/index)\\.ts$' },
      to: { path: '/node_modules/(undici|pg|pg-boss|pg-copy-streams|@electric-sql)/', reachable: true },
    },
    {
      name: 'no-app-imports-another',
      comment: 'Apps start each other as programs; shared code belongs in a package.',
      severity: 'error',
      from: { path: '^apps/([^/]+)/src/' },
      to: { path: '^(apps|test)/', pathNot: '^apps/$1/' },
    },
    {
      name: 'packages-by-name',
      comment: 'Import another package by its name, which gives what its index exports.',
      severity: 'error',
      from: { path: '^(packages|apps)/([^/]+)/src/' },
      to: { path: '^(packages|apps)/[^/]+/src/', pathNot: '^$1/$2/' },
    },
    {
      name: 'network-in-core-and-sandbox',
      comment: 'Only core and sandbox speak HTTP.',
      severity: 'error',
      from: { path: '^packages/', pathNot: '^packages/(core|sandbox)/' },
      to: { path: HTTP, dependencyTypes: ['core'] },
    },
    {
      name: 'core-without-files',
      comment: 'packages/core reads the service and nothing else; its sign-in keeps a token file.',
      severity: 'error',
      from: { path: '^packages/core/src/', pathNot: '^packages/core/src/auth/' },
      to: { path: '^(node:)?fs(/promises)?$', dependencyTypes: ['core'] },
    },
    {
      name: 'warehouse-reading-without-publishing',
      comment: `Of the warehouse, ${READING.join(', ')} read what is stored: whoever reads needs nothing of what writes it.`,
      severity: 'error',
      from: { path: `^packages/warehouse/src/(${READING.join('|')})/` },
      to: { path: '^packages/warehouse/src/(staging|publish|snapshot|compare|queue)/', reachable: true },
    },
    {
      name: 'no-cycle-of-files',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'no-cycle-of-directories',
      scope: 'folder',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'no-unresolved-import',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true, pathNot: '^(hast|mdast)$' }, // types alone
    },
  ],
  options: {
    parser: 'tsc',
    tsPreCompilationDeps: true,
    moduleSystems: ['es6'],
    doNotFollow: { path: ['(^|/)node_modules/', '(^|/)dist/'] },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default'],
      extensions: ['.ts', '.js'],
    },
  },
}
