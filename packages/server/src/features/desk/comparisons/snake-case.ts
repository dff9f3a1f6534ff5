/** Converts a name to a code: `driversLicense` becomes `drivers_license`. */
export const snakeCase = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
