/** A name of ours in the words of codes: `drivers_license` of `driversLicense`. */
export const snakeCase = (name: string): string => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
