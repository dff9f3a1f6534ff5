export const copying = {
  done: 'Copied to clipboard!',
  copied: (label: string) => `${label} copied!`,
  failed: 'Failed to copy',
}
