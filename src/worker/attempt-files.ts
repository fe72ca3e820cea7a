/** Name of the one file in a report's artifact. */
export const reportFile = 'report.json';
