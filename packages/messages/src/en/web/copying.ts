export const copying = {
  done: 'Copied to clipboard!',
  doneOf: (label: string) => `${label} copied!`,
  failed: 'Failed to copy',
}
