//! Kernel signatures, read from their declarations.

use crate::lexer::{find_word, in_name, parenthesised, without_comments};

/// A kernel as its source declares it.
#[derive(Debug)]
pub struct KernelDeclaration {
    /// The kernel's name.
    pub name: String,
    /// The limit of `__launch_bounds__`; 1024 without.
    pub max_threads: u32,
    /// The parameters, in order.
    pub parameters: Vec<Parameter>,
}

/// One parameter of a kernel.
#[derive(Debug)]
pub struct Parameter {
    /// The C++ type.
    pub cpp: String,
    /// The name of its variant of `heddle_runtime::device::ParameterKind`.
    pub kind: &'static str,
}

/// All kernels that a source declares, in order.
pub(crate) fn kernels(file: &str, text: &str) -> Result<Vec<KernelDeclaration>, String> {
    let text = without_comments(text);
    let mut kernels = Vec::new();
    let mut from = 0;
    while let Some(at) = find_word(&text, "__global__", from) {
        let bad = |what: &str| format!("kernels/{file}.cu: {what}");
        if !text[..at].trim_end().ends_with("extern \"C\"") {
            return Err(bad("a kernel must be declared extern \"C\" __global__"));
        }
        let mut rest = at + "__global__".len();
        let mut max_threads = 1024;
        if let Some(bounds) = find_word(&text, "__launch_bounds__", rest)
            && text[rest..bounds]
                .chars()
                .all(|c| in_name(c) || c.is_whitespace())
            && let Some(open) = text[bounds..].find('(')
            && let Some((threads, close)) = parenthesised(&text, bounds + open)
        {
            // The second value, a minimum of blocks, is only a hint to the GPU's compiler.
            let threads = threads.split(',').next().unwrap_or(threads);
            max_threads = threads.trim().parse().map_err(|_| {
                bad("the first argument of __launch_bounds__ must be an integer literal")
            })?;
            rest = close + 1;
        }
        let open = rest
            + text[rest..]
                .find('(')
                .ok_or_else(|| bad("no parameter list"))?;
        let name = last_name(&text[rest..open]).to_owned();
        let (list, close) =
            parenthesised(&text, open).ok_or_else(|| bad("an unclosed parameter list"))?;
        let parameters = list
            .split(',')
            .map(|parameter| parse_parameter(parameter).map_err(|what| bad(&what)))
            .collect::<Result<_, _>>()?;
        kernels.push(KernelDeclaration {
            name,
            max_threads,
            parameters,
        });
        from = close;
    }
    Ok(kernels)
}

/// The last name in a declaration.
pub(crate) fn last_name(declaration: &str) -> &str {
    let trimmed = declaration.trim_end();
    let start = trimmed
        .rfind(|c: char| !in_name(c))
        .map_or(0, |before| before + 1);
    &trimmed[start..]
}

fn parse_parameter(text: &str) -> Result<Parameter, String> {
    let text = text.trim();
    let ty = text[..text.len() - last_name(text).len()].replace("__restrict__", "");
    let cpp = ty.split_whitespace().collect::<Vec<_>>().join(" ");
    let kind = match cpp.trim_start_matches("const ") {
        pointer if pointer.ends_with('*') => "Buffer",
        "unsigned" | "unsigned int" => "U32",
        "int" => "I32",
        "unsigned long long" => "U64",
        "float" => "F32",
        "double" => "F64",
        other => {
            return Err(format!(
                "parameter `{text}` has type `{other}`; kernels take pointers, unsigned, int, \
                 unsigned long long, float and double"
            ));
        }
    };
    Ok(Parameter { cpp, kind })
}
