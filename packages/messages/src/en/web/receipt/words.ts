import { receipt as ofLanguage } from '../../receipt.ts'

/** Texts of a receipt, the same as in the server's PDFs and images. */
export const receipt = ofLanguage
