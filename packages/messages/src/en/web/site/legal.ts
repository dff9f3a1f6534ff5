/** Texts shared by all legal pages. */
export const legal = {
  tabs: 'Legal documents',
  contents: 'Contents',
  inShort: 'In short',
  inShortOf: (clause: string) => `In short: ${clause}`,
  seeIt: (where: string) => `See it work: ${where}`,
  version: 'Version',
  changed: 'Last changed',
  reading: 'Reading time',
  minutes: (count: number) => `${count} minutes`,
  sample: 'Sample text.',
  sampleText: 'It describes how this product works and is not legal advice. The operator replaces it before opening.',
  callTitle: 'Questions settled?',
  callText: 'See how a transfer works, step by step, or open an account.',
  callHow: 'How It Works',
}
