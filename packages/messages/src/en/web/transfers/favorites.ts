export const favorites = {
  add: (name: string) => `Add ${name} to favorites`,
  addShort: 'Add to favorites',
  remove: (name: string) => `Remove ${name} from favorites`,
  removeShort: 'Remove from favorites',
  added: (name: string) => `${name} is now one of your favorites.`,
  removed: (name: string) => `${name} is no longer one of your favorites.`,
  failed: 'Your favorites could not be changed. Please try again.',
}
