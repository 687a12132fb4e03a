/** What begins all paths of the server, as the address of this script shows: it is in the folder "assets" there. */
const basePath = import.meta.env.PROD ? new URL('..', import.meta.url).pathname.slice(0, -1) : '';

/** A path of the server, as this page can request it. */
export const serverPath = (path: string): string => basePath + path;
