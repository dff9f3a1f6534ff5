/** Joins class names, skipping empty and false ones. */
export const classNames = (...names: (string | false | undefined)[]): string => names.filter(Boolean).join(' ')
