// Resolves imports that leave out a file's ending or its index.js, as bundlers do.
export async function resolve(specifier, context, next) {
	for (const ending of ["", ".js", "/index.js"]) {
		try {
			return await next(specifier + ending, context);
		} catch (error) {
			if (ending === "/index.js") throw error;
		}
	}
}
